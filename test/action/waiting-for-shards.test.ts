import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Runner } from "../../src/action/step.ts";
import { awaitShards } from "../../src/action/test-reports/await-shards.ts";
import { NetworkError } from "../../src/client/client.ts";
import type { StepEnd, StepRun } from "./run-step.ts";
import { type Scripted, startScripted } from "./scripted-service.ts";
import { type OpenedPull, startYard, until, type Yard } from "./yard.ts";

let yard: Yard;
let pull: OpenedPull;

beforeAll(async () => {
  yard = await startYard();
  pull = await yard.open("topic", { "api/server.ts": "1\n" });
});
afterAll(() => yard.close());

/** A test report in which the test `blinks` failed. */
function report(...names: string[]): string {
  const cases = names.map(
    (name) => `<testcase name="${name}">${name === "blinks" ? "<failure/>" : ""}</testcase>`,
  );
  const failures = names.includes("blinks") ? 1 : 0;
  return `<testsuite name="widget" tests="${names.length}" failures="${failures}">${cases.join("")}</testsuite>`;
}

const place = { workflow: "CI", step: "__trainyard" };

/** Starts the step of a shard in run 4711, after its tests failed or passed. */
async function start(
  shard: number,
  names: readonly string[],
  inputs: Record<string, string>,
): Promise<StepRun> {
  const folder = `reports-${shard}`;
  await mkdir(join(yard.workspace, folder), { recursive: true });
  await writeFile(join(yard.workspace, folder, "a.xml"), report(...names));
  return await yard.start(pull, {
    workspace: yard.workspace,
    env: { GITHUB_HEAD_REF: "topic", GITHUB_WORKFLOW: place.workflow, GITHUB_ACTION: place.step },
    inputs: {
      ...{ command: "upload-tests", "junit-paths": `${folder}/*.xml`, "previous-step-outcome": "failure" },
      ...{ job: `test (${shard})`, variant: `shard=${shard}`, ...inputs },
    },
  });
}

/** Uploads a shard without a step. */
async function upload(shard: number, names: readonly string[], facts: object) {
  return await yard.client.uploadTestResults({
    ...{ repo: yard.queue.repo, tree_sha: "b".repeat(40), head_sha: "a".repeat(40), branch: "main" },
    ...{ kind: "stable", run_id: "1", job: `test (${shard})`, variant: `shard=${shard}`, ...place },
    step_failed: names.includes("blinks"),
    reports: [{ path: "a.xml", content: report(...names) }],
    ...facts,
  });
}

test("two shards that wait for a third one both pass after it has reported", async () => {
  for (const [at, name] of ["spins", "turns", "stops"].entries()) {
    const { failed } = await upload(at + 1, ["blinks"], { job: "other", run_id: "0" });
    await yard.client.setQuarantine({
      ...{ repo: yard.queue.repo, test_case_id: failed[0]?.id ?? "" },
      ...{ quarantine_setting: "ALWAYS_QUARANTINE", reason: "it blinks" },
    });
    await upload(at + 1, [name], {});
  }
  // Far longer than both processes take to start. They ask again after a quarter of a minute.
  const limit = { "wait-for-shards": "9" };
  const steps = await Promise.all([
    start(1, ["turns", "blinks"], limit),
    start(2, ["stops", "blinks"], limit),
  ]);
  const isWaiting = ({ child, log }: StepRun) =>
    child.exitCode !== null || log().includes("Waiting for at most 9 minutes");
  await until(() => steps.every(isWaiting));
  const ofRun = { run_id: "4711", kind: "pr", branch: "topic", pr: { number: pull.number } };
  await upload(3, ["spins"], { ...ofRun, head_sha: pull.headSha, tree_sha: "c".repeat(40) });
  for (const end of await Promise.all(steps.map(({ ended }) => ended))) {
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "quarantined" }, annotations: [] });
    expect(end.log).toMatch(/^The wait ended after \d+ s: the verdict is quarantined\.$/m);
  }
});

const unknown = {
  ...{
    upload_id: "1",
    is_new: true,
    verdict: "unknown",
    code: "TESTS_MISSING",
    message: "1 test did not run",
  },
  ...{ tests: { passed: 1, failed: 1, skipped: 0 }, reports: [], failed: [], quarantined: [] },
  ...{ failed_count: 0, quarantined_count: 1, is_suspect: false, awaited_shards: 2 },
};

describe("with missing tests that other shards may have, upload-tests", () => {
  const refusal = (status: number): Scripted => ({
    status,
    body: { code: "A_CODE", detail: "It is refused." },
  });
  const short = { "wait-for-shards": "0.01" };

  test.each<
    [what: string, tries: number, log: RegExp, inputs: Record<string, string>, later?: readonly Scripted[]]
  >([
    [
      "ends as the tests did when the time is over, after it has asked once more",
      2,
      /^The wait ended after \d+ s: 2 shards have not reported\.$/m,
      short,
    ],
    [
      "ends as the tests did when the service fails",
      4,
      /^The wait ended after \d+ s: 2 /m,
      short,
      [refusal(503)],
    ],
    [
      "ends as the tests did when the service refuses",
      2,
      /^The wait ended after \d+ s: It is refused\. Set the input api-token/m,
      short,
      [refusal(401)],
    ],
    ["does not wait with wait-for-shards: 0", 1, /./, { "wait-for-shards": "0" }],
    ["does not wait when the tests passed", 1, /./, { "previous-step-outcome": "success" }],
  ])("%s", async (_what, tries, log, inputs, later = []) => {
    const service = await startScripted({ status: 200, body: unknown }, ...later);
    try {
      const { ended } = await start(1, ["spins"], { ...inputs, "api-url": service.url });
      const end: StepEnd = await ended;
      const exitCode = inputs["previous-step-outcome"] === "success" ? 0 : 1;
      expect(end).toMatchObject({ exitCode, outputs: { verdict: "unknown" } });
      expect(end.log).toMatch(log);
      expect(/wait/i.test(end.log)).toBe(tries > 1);
      expect(service.received).toHaveLength(tries);
      expect(new Set(service.received.map(({ body }) => body)).size).toBe(1);
    } finally {
      await service.close();
    }
  });
});

/** When an upload is repeated, in seconds, if the service always gives the same answer. */
async function repeatsOf(
  waitMinutes: number,
  sizeMiB: number,
  answer: () => typeof unknown,
): Promise<number[]> {
  let now = 0;
  const at: number[] = [];
  const sleep = async (ms: number) => {
    now += ms;
  };
  const ignore = () => {};
  const runner: Runner = {
    ...{ mask: ignore, log: ignore, detail: ignore, annotate: ignore, output: ignore },
    summarise: async () => {},
  };
  const first = unknown as Parameters<typeof awaitShards>[0];
  const repeat = async () => {
    at.push(now / 1_000);
    return answer() as typeof first;
  };
  const wait = { repeat, size: sizeMiB * 2 ** 20, waitMs: waitMinutes * 60_000 };
  const { signal } = new AbortController();
  expect(await awaitShards(first, wait, { clock: { now: () => now, sleep }, runner, signal })).toEqual(
    unknown,
  );
  return at;
}

test("an upload is repeated after 15 s, then every 30 s, and at the end of the time, large ones less often", async () => {
  expect(await repeatsOf(2, 0, () => unknown)).toEqual([15, 45, 75, 105, 120]);
  expect(await repeatsOf(5, 19, () => unknown)).toEqual([110, 235, 300]);
});

test("an upload is repeated until the time is over if the service does not answer", async () => {
  const at = await repeatsOf(1, 0, () => {
    throw new NetworkError("network", "It did not answer.", null);
  });
  expect(at).toEqual([15, 45, 60]);
});
