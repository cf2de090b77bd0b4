import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createCheckout } from "./checkout.ts";
import { startStep } from "./run-step.ts";
import { type ScriptedService, startScripted } from "./scripted-service.ts";
import { pullRequestEvent } from "./yard.ts";

const megabytes = 1024 * 1024;

let directory: string;
let workspace: string;
let headSha: string;
let service: ScriptedService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-action-"));
  workspace = join(directory, "workspace");
  headSha = await createCheckout(
    workspace,
    Array.from({ length: 100_000 }, (_, file) => `packages/p${file % 50}/src/deep/file-${file}.ts`),
  );
  service = await startScripted({
    status: 200,
    body: { prNumber: 12, prSha: headSha, targetsCount: 1 },
  });
});

afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/**
 * Runs the step with a heap of so many MiB, on which Node ends it when it needs more; what it posted. A heap that is too
 * small is a fact of the program, where the most memory that a process had is one of the machine.
 */
async function postedWithin(heapMb: number, inputs: Record<string, string>): Promise<string> {
  const step = await startStep({
    directory,
    githubUrl: "https://github.com",
    repository: "acme/widgets",
    githubToken: "ghs_own",
    workspace,
    event: pullRequestEvent({ number: 12, headSha }),
    env: { NODE_OPTIONS: `--max-old-space-size=${heapMb}` },
    inputs: { command: "impacted-targets", "api-url": service.url, "api-token": "ty_secret", ...inputs },
  });
  const { exitCode, log } = await step.ended;
  if (exitCode !== 0) throw new Error(log);
  return service.received.at(-1)?.body ?? "";
}

describe("the memory that impacted-targets takes", () => {
  test("does not grow with a list that is too long to be posted", async () => {
    const inputs = {
      provider: "command",
      "targets-command": "seq -f '//packages/area/module:target-%010.0f' 600000",
    };
    expect(JSON.parse(await postedWithin(32, inputs)).impactedTargets).toBe("ALL");
  });

  test("is bounded for the longest list that can be posted", async () => {
    const inputs = {
      provider: "command",
      "targets-command": "seq -f '//packages/area/module:target-%010.0f' 485000",
    };
    expect((await postedWithin(32, inputs)).length).toBeGreaterThan(19.5 * megabytes);
  });

  test("is bounded for a hundred thousand changed files", async () => {
    const rules = Array.from({ length: 50 }, (_, index) => `p${index}: packages/p${index}/**`).join("\n");
    const posted = await postedWithin(32, { provider: "paths", "targets-paths": rules });
    expect(JSON.parse(posted).impactedTargets).toHaveLength(50);
  });
});
