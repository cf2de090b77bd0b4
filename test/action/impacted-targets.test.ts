import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { StepEnd, StepSettings } from "./run-step.ts";
import { type OpenedPull, pullRequestEvent, startYard, type Yard } from "./yard.ts";

const run = promisify(execFile);
const limit = 20 * 1024 * 1024;

let yard: Yard;
let pull: OpenedPull;

beforeAll(async () => {
  yard = await startYard();
  pull = await yard.open("topic", {
    "api/server.ts": "1\n",
    "docs/guide.md": "1\n",
    "web/{page}.tsx": "1\n",
  });
});

afterAll(() => yard.close());

async function impactedTargets(
  inputs: Record<string, string>,
  settings: Partial<StepSettings> = {},
): Promise<StepEnd & { targets: string }> {
  const step = await yard.start(pull, {
    workspace: yard.workspace,
    ...settings,
    inputs: { command: "impacted-targets", ...inputs },
  });
  const end = await step.ended;
  const file = end.outputs.targets;
  return { ...end, targets: file === undefined ? "" : await readFile(file, "utf8") };
}

/**
 * Targets whose request body has exactly the given number of bytes. Some contain characters that JSON escapes
 * or UTF-8 encodes in several bytes.
 */
async function targetsOfSize(bytes: number): Promise<{ command: string; count: number }> {
  const targets = ['quote " backslash \\ tab \t in it', "ümläut 🚂"];
  const request = () => ({
    ...yard.queue,
    pr: { number: pull.number, sha: pull.headSha },
    impactedTargets: targets,
  });
  let left = bytes - Buffer.byteLength(JSON.stringify(request()));
  while (left > 0) {
    // A target adds two quotes and a comma. The last one fills the remaining bytes, which are at least 2,000.
    const length = left < 4_000 ? left : 2_000;
    targets.push(`${targets.length}`.padEnd(length - 3, "x"));
    left -= length;
  }
  expect(Buffer.byteLength(JSON.stringify(request()))).toBe(bytes);
  const file = join(yard.directory, `targets-${bytes}`);
  await writeFile(file, targets.join("\n"));
  return { command: `cat ${file}`, count: targets.length };
}

describe("the paths provider", () => {
  test("uploads the targets whose globs match a changed file", async () => {
    const end = await impactedTargets({
      provider: "paths",
      "targets-paths": "api: api/**\n//web:all: web/**, facts/*  # all of it\nunused: unused/**\nnone: **.md",
    });
    expect(end).toMatchObject({ exitCode: 0, targets: "api\n//web:all\n" });
    expect(end.outputs).toMatchObject({ verdict: "uploaded", "targets-count": "2" });
    const { readiness } = await submitted();
    expect(readiness.hasImpactedTargets).toBe(true);
  });

  test("uploads ALL for a file that no line matches, and names the file", async () => {
    const end = await impactedTargets({ provider: "paths", "targets-paths": "api: api/**\nnone: docs/**" });
    expect(end).toMatchObject({ exitCode: 0, targets: "ALL\n", outputs: { "targets-count": "ALL" } });
    expect(end.log).toContain("no line of targets-paths names web/{page}.tsx");
    expect(end.summary).toContain("web/\\{page\\}.tsx");
  });

  test("uploads an empty list when only files of `none` change", async () => {
    const end = await impactedTargets({ provider: "paths", "targets-paths": "none: **" });
    expect(end).toMatchObject({ exitCode: 0, targets: "", outputs: { "targets-count": "0" } });
  });

  test("uploads ALL when a changed file matches impact-all-paths", async () => {
    const end = await impactedTargets({
      provider: "paths",
      "targets-paths": "none: **",
      "impact-all-paths": "package.json, {api,lib}/*.ts",
    });
    expect(end).toMatchObject({ exitCode: 0, outputs: { "targets-count": "ALL" } });
    expect(end.log).toContain("the pull request changes api/server.ts, which impact-all-paths names");
  });

  test("uploads ALL from a shallow checkout, and fails with the remedy", async () => {
    const { shallow } = await shallowClone();
    const inputs = { provider: "paths", "targets-paths": "none: **" };
    const end = await impactedTargets(inputs, { workspace: shallow });
    expect(end).toMatchObject({ exitCode: 1, outputs: { "targets-count": "ALL", verdict: "uploaded" } });
    expect(end.annotations.at(-1)?.message).toContain("`fetch-depth: 0`");
  });

  test("uploads ALL without a checkout, and succeeds with a warning when on-error is all", async () => {
    const inputs = { provider: "paths", "targets-paths": "none: **", "on-error": "all" };
    const end = await impactedTargets(inputs, { workspace: yard.directory });
    expect(end).toMatchObject({ exitCode: 0, outputs: { "targets-count": "ALL" } });
    expect(end.annotations).toMatchObject([{ level: "warning" }]);
    expect(end.annotations[0]?.message).toContain("Run actions/checkout");
  });
});

describe("the command provider", () => {
  test("uploads the targets that the program prints, one per line", async () => {
    const command =
      'printf " //a:b \\n\\nc\\r\\n"; git diff --name-only $TRAINYARD_BASE_SHA $TRAINYARD_HEAD_SHA';
    const end = await impactedTargets({ provider: "command", "targets-command": command });
    expect(end).toMatchObject({ exitCode: 0, outputs: { "targets-count": "5" } });
    expect(end.targets).toBe("//a:b\nc\napi/server.ts\ndocs/guide.md\nweb/{page}.tsx\n");
  });

  test("uploads ALL when the program prints the line ALL", async () => {
    const end = await impactedTargets({ provider: "command", "targets-command": "echo a; echo ALL; echo b" });
    expect(end).toMatchObject({ exitCode: 0, targets: "ALL\n", annotations: [] });
    expect(end.outputs).toMatchObject({ verdict: "uploaded", "targets-count": "ALL" });
  });

  test.each(["cat <(echo a; exit 3)", "while read -r target; do echo $target; done < <(exit 3)"])(
    "uploads ALL for a program whose failure bash does not see: %s",
    async (command) => {
      const end = await impactedTargets({ provider: "command", "targets-command": command });
      expect(end).toMatchObject({ exitCode: 0, targets: "ALL\n", outputs: { verdict: "uploaded" } });
      expect(end.log).toContain("write the output to a file first");
    },
  );

  test("fails when the program prints ALL and then exits with an error", async () => {
    const end = await impactedTargets({ provider: "command", "targets-command": "echo ALL; exit 3" });
    expect(end).toMatchObject({ exitCode: 1, targets: "ALL\n" });
  });

  test("passes none of the step's secrets to the program", async () => {
    const end = await impactedTargets({ provider: "command", "targets-command": "env" });
    expect(end.exitCode).toBe(0);
    expect(end.targets).toContain("GITHUB_RUN_ID=4711");
    expect(end.targets).not.toMatch(/INPUT_|ACTIONS_RUNTIME/);
  });

  test.each([
    ["fails", "echo a; exit 3", "targets-command ended with exit code 3"],
    ["fails at the head of a pipe", "(echo a; exit 4) | cat", "targets-command ended with exit code 4"],
    [
      "prints a target that is too long",
      "head -c 5000 /dev/zero | tr '\\0' x",
      "target 1 is longer than 4096 bytes",
    ],
  ])("uploads ALL and fails when the program %s", async (_how, command, problem) => {
    const end = await impactedTargets({ provider: "command", "targets-command": command });
    expect(end).toMatchObject({ exitCode: 1, targets: "ALL\n", outputs: { "targets-count": "ALL" } });
    expect(end.annotations.map(({ level }) => level)).toEqual(["error"]);
    expect(end.annotations[0]?.message).toContain(problem);
  });

  test("uploads ALL and fails when the program times out", async () => {
    const inputs = { provider: "command", "targets-command": "sleep 60 | cat", "timeout-minutes": "0.01" };
    const end = await impactedTargets(inputs);
    expect(end).toMatchObject({ exitCode: 1, outputs: { "targets-count": "ALL" } });
    expect(end.annotations[0]?.message).toContain("did not end within 0.01 minutes");
  });
});

describe("the 20 MiB limit on the upload", () => {
  test.each([
    ["one byte below", limit - 1],
    ["exactly", limit],
  ])("allows a list whose request is up to that size (%s)", async (_where, bytes) => {
    const { command, count } = await targetsOfSize(bytes);
    const { targets: _, ...end } = await impactedTargets({ provider: "command", "targets-command": command });
    expect(end).toMatchObject({ exitCode: 0, annotations: [], outputs: { verdict: "uploaded" } });
    expect(end.outputs["targets-count"]).toBe(String(count));
  });

  test("replaces a list one byte above the limit by ALL with a warning", async () => {
    const { command } = await targetsOfSize(limit + 1);
    const { targets, ...end } = await impactedTargets({ provider: "command", "targets-command": command });
    expect(end).toMatchObject({ exitCode: 0, outputs: { "targets-count": "ALL" } });
    expect(targets.slice(0, 100)).toBe("ALL\n");
    expect(end.annotations).toMatchObject([{ level: "warning" }]);
    expect(end.annotations[0]?.message).toContain(`${limit + 1} bytes`);
  });
});

describe("the auto provider", () => {
  test("uploads ALL and fails when it finds no build tool", async () => {
    const end = await impactedTargets({});
    expect(end).toMatchObject({ exitCode: 1, targets: "ALL\n", outputs: { "targets-count": "ALL" } });
    expect(end.annotations.at(-1)?.message).toContain("Set the input provider");
  });

  test("uploads the impacted packages of a workspace in a subdirectory of the repository", async () => {
    const packages = {
      "web/package.json": '{"workspaces":["packages/*"]}',
      "web/packages/a/package.json": '{"name":"a"}',
      "web/packages/b/package.json": '{"name":"b","dependencies":{"a":"*"}}',
    };
    await yard.pushToBase(packages);
    await yard.local.history("main");
    const changed = await yard.open("workspace", { "web/packages/a/index.js": "1;\n" });
    const inputs = { command: "impacted-targets", "working-directory": "web" };
    const end = await (await yard.start(changed, { workspace: yard.workspace, inputs })).ended;
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "uploaded", "targets-count": "2" } });
    expect(await readFile(end.outputs.targets ?? "", "utf8")).toBe("a\nb\n");
  });
});

describe("the all provider", () => {
  test("uploads ALL without a checkout", async () => {
    const end = await impactedTargets({ provider: "all" }, { workspace: yard.directory });
    expect(end).toMatchObject({ exitCode: 0, targets: "ALL\n", outputs: { "targets-count": "ALL" } });
  });
});

describe("the impacted-targets command without a token", () => {
  test("explains why it is skipped and succeeds, but fails with strict", async () => {
    const inputs = { provider: "all", "api-token": "" };
    expect(await impactedTargets(inputs)).toMatchObject({
      exitCode: 0,
      outputs: { verdict: "skipped" },
      annotations: [{ level: "notice", title: "Trainyard: No token" }],
    });
    expect(await impactedTargets({ ...inputs, strict: "true" })).toMatchObject({ exitCode: 1 });
  });

  test("explains that a fork's upload is not accepted when its workflow run does not vouch for it", async () => {
    const event = pullRequestEvent(pull, "mallory/widgets");
    const end = await impactedTargets({ provider: "all", "api-token": "" }, { event });
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "skipped" } });
    expect(end.annotations).toMatchObject([
      { level: "notice", title: "Trainyard: Not accepted from a fork" },
    ]);
  });
});

async function submitted() {
  yard.sandbox.setCi("acme/widgets", null);
  await yard.submit(pull.number);
  return yard.client.getSubmittedPullRequest({ ...yard.queue, pr: { number: pull.number } });
}

async function shallowClone(): Promise<{ shallow: string }> {
  const shallow = join(yard.directory, "shallow");
  const { stdout } = await run("git", ["remote", "get-url", "origin"], { cwd: yard.workspace });
  await run("git", ["clone", "--quiet", "--depth=1", "--branch=topic", stdout.trim(), shallow]);
  return { shallow };
}
