import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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
 * Runs the step with a heap limit in MiB, which makes Node.js abort when the step needs more. Returns the
 * request body that the step sent. The heap limit depends only on the program; peak memory of the process
 * also depends on the machine.
 */
function postedWithin(heapMb: number, inputs: Record<string, string>): Promise<string> {
  return posted(`--max-old-space-size=${heapMb}`, inputs);
}

async function posted(nodeOptions: string, inputs: Record<string, string>): Promise<string> {
  const step = await startStep({
    directory,
    githubUrl: "https://github.com",
    repository: "acme/widgets",
    githubToken: "ghs_own",
    workspace,
    event: pullRequestEvent({ number: 12, headSha }),
    env: { NODE_OPTIONS: nodeOptions },
    inputs: { command: "impacted-targets", "api-url": service.url, "api-token": "ty_secret", ...inputs },
  });
  const { exitCode, log } = await step.ended;
  if (exitCode !== 0) throw new Error(log);
  return service.received.at(-1)?.body ?? "";
}

describe("the memory use of impacted-targets", () => {
  test("does not grow with a list that is too long to upload", async () => {
    const inputs = {
      provider: "command",
      "targets-command": "seq -f '//packages/area/module:target-%010.0f' 600000",
    };
    expect(JSON.parse(await postedWithin(32, inputs)).impactedTargets).toBe("ALL");
  });

  test("stays below 320 MB of peak process memory for a list that is too long to upload, also on a busy machine", async () => {
    const peak = join(directory, "peak");
    const witness = join(directory, "witness.mjs");
    const write = `writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS))`;
    await writeFile(witness, `import { writeFileSync } from "node:fs"; process.on("exit", () => ${write});`);
    let least = Number.POSITIVE_INFINITY;
    // `npm run bench -- action` requires 250 MB. A busy machine collects garbage late, so the lowest peak of some runs counts.
    for (let run = 0; run < 4 && least >= 320e6; run++) {
      await posted(`--import ${pathToFileURL(witness)}`, {
        provider: "command",
        "targets-command": "seq -f '//packages/area/module:target-%010.0f' 600000",
      });
      least = Math.min(least, Number(await readFile(peak, "utf8")) * 1024);
    }
    expect(least).toBeLessThan(320e6);
  });

  test("stays within a 32 MiB heap for the longest list that can be uploaded", async () => {
    const inputs = {
      provider: "command",
      "targets-command": "seq -f '//packages/area/module:target-%010.0f' 485000",
    };
    expect((await postedWithin(32, inputs)).length).toBeGreaterThan(19.5 * megabytes);
  });

  test("stays within a 32 MiB heap for a hundred thousand changed files", async () => {
    const rules = Array.from({ length: 50 }, (_, index) => `p${index}: packages/p${index}/**`).join("\n");
    const posted = await postedWithin(32, { provider: "paths", "targets-paths": rules });
    expect(JSON.parse(posted).impactedTargets).toHaveLength(50);
  });
});
