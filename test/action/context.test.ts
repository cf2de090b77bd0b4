import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { StepEnd } from "./run-step.ts";
import { type OpenedPull, startYard, until, type Yard } from "./yard.ts";

let yard: Yard;
let pull: OpenedPull;
let branch: string;

beforeAll(async () => {
  yard = await startYard();
  pull = await yard.open("topic", { "topic.txt": "1\n" });
  await mkdir(join(yard.workspace, "test"));
  await writeFile(join(yard.workspace, "test/widget.test.js"), "// a test\n");
  const cases = ["test/widget.test.js", "test/gone.test.js", "../outside.js", "--config=evil.js"].map(
    (file) => `<testcase name="of ${file}" file="${file}"><failure message="1"/></testcase>`,
  );
  await yard.client.uploadTestResults({
    ...{
      repo: yard.queue.repo,
      head_sha: pull.headSha,
      tree_sha: "d".repeat(40),
      branch: "topic",
      kind: "pr",
    },
    ...{ pr: { number: pull.number }, run_id: "1", job: "test", step_failed: true },
    reports: [{ path: "a.xml", content: `<testsuite name="s">${cases.join("")}</testsuite>` }],
  });
  // The test of the queue does not end.
  yard.sandbox.setCi("acme/widgets", null);
  await yard.submit(pull.number);
  branch = await testBranch();
});

afterAll(() => yard.close());

async function testBranch(): Promise<string> {
  let name: string | null = null;
  await until(async () => {
    const answer = await yard.client.getMergeQueueTestingDetails(yard.queue);
    name = "testRuns" in answer ? (answer.testRuns[0]?.testBranch ?? null) : null;
    return name !== null;
  });
  return String(name);
}

/** Runs the step in a workflow on a push to a branch, and reads what it wrote. */
async function onBranch(ref: string, inputs: Record<string, string> = {}) {
  const step = await yard.start(pull, {
    workspace: yard.workspace,
    event: { repository: { full_name: "acme/widgets", default_branch: "main" } },
    env: { GITHUB_REF_NAME: ref, GITHUB_REF_TYPE: "branch", GITHUB_SHA: "e".repeat(40) },
    inputs: { command: "context", ...inputs },
  });
  const end: StepEnd = await step.ended;
  const read = (name: string) => readFile(end.outputs[name] ?? "", "utf8");
  return { ...end, context: JSON.parse(await read("context")), files: await read("failed-files") };
}

test("tells a job on a test branch its members, and the test files that failed before and exist", async () => {
  const { exitCode, outputs, context, files, annotations } = await onBranch(branch);
  expect({ exitCode, annotations }).toEqual({ exitCode: 0, annotations: [] });
  expect(outputs).toMatchObject({ verdict: "told", "is-bisection": "false" });
  const members = [{ number: pull.number, sha: pull.headSha }];
  expect(JSON.parse(outputs.members ?? "")).toEqual(members);
  expect(context).toMatchObject({ version: 1, members, ahead: [], isBisection: false });
  expect(branch).toContain(context.testRunId);
  expect(context.failedBefore).toHaveLength(4);
  expect(context.failedBefore).toContainEqual(
    expect.objectContaining({ name: "of test/widget.test.js", parent: "s", isFlaky: false, failedRuns: 1 }),
  );
  expect(files).toBe("test/widget.test.js\n");
});

test("tells nothing, and succeeds, on another branch and when it gets no answer", async () => {
  const unknown = {
    exitCode: 0,
    outputs: { verdict: "skipped", members: "[]", "is-bisection": "false" },
    context: { version: 1, testRunId: null, members: [], failedBefore: [] },
    files: "",
    annotations: [{ level: "notice" }],
  };
  expect(await onBranch("main")).toMatchObject(unknown);
  expect(await onBranch(branch, { "api-url": "http://127.0.0.1:1" })).toMatchObject(unknown);
  expect(await onBranch(branch, { "api-token": "" })).toMatchObject(unknown);
  expect(await onBranch(branch, { "api-url": "" })).toMatchObject(unknown);
  expect(await onBranch(branch.replace(/.$/, (last) => (last === "0" ? "1" : "0")))).toMatchObject(unknown);
});
