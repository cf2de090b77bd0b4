import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Readonly<Record<string, string>> };
const proofs = Array.from(
  read(".ci/prove").matchAll(/^ {2}([\w-]+)\) npm run ([\w:]+)(?: -- ([a-z]+))?(.*) ;;$/gm),
  (found) => {
    const [, name = "", script = "", experiment = null, options = ""] = found;
    return { name, script, experiment, options: options.match(/--[a-z]+/g) ?? [] };
  },
);

test("every night has a job for each long proof", () => {
  const { jobs } = parse(read(".github/workflows/nightly.yml"));
  expect(proofs.map(({ name }) => name)).toEqual(jobs.prove.strategy.matrix.proof);
});

test.each(proofs)(
  "the long proof $name is a command that knows its options",
  async ({ script, experiment, options }) => {
    const [, main = "", ...args] = /(\S+\.ts)(?: ([\w-]+))?$/.exec(scripts[script] ?? "") ?? [];
    expect(main).toMatch(/\.ts$/);
    if (options.length === 0 && experiment === null) return;
    const given = [...args, experiment, "--help"].filter((arg) => typeof arg === "string");
    const { stdout, stderr } = await run(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join(root, main), ...given],
      { cwd: root },
    );
    expect(stdout + stderr).toMatch(/Usage: /);
    for (const option of options) expect(stdout + stderr).toContain(option);
  },
);

test("a long proof that does not exist is refused", async () => {
  await expect(run(join(root, ".ci/prove"), ["nothing"])).rejects.toThrow(
    'There is no proof "nothing". The names are in .ci/prove.',
  );
});
