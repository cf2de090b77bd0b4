import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { bareEnvironment } from "../cli/run-trainyard.ts";

const script = join(import.meta.dirname, "../../scripts/newcomer/main.ts");

/** Tests in test/scenarios stop the demo. `npm run newcomer` also does it here, twenty times. */
test("a newcomer's clone merges a first pull request on the sandbox with two commands, within a minute", async () => {
  const options = ["--link", "--stops", "0", "--port", String(await freePort())];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...options], {
    env: bareEnvironment(),
  });
  expect(stdout).not.toContain("FAILED");
  expect(stdout).toMatch(/ok .* two commands from the ready service to the first merge/);
});
