import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
const opened = new Set<number>();
const began = Date.now();
/** A time before anything merged. A stale reading must not be older than the stage itself. */
let beforeMerges = began;

afterEach(async () => {
  for (const pr of held) opened.add(pr);
  await stage.close();
  opened.clear();
  held.clear();
});

const held = new Set<number>();
const sandbox = () => stage.sandbox;

/** Holds the tests of a pull request until it is in `opened`. */
const lastStep: NonNullable<NonNullable<StageOptions["ci"]>["lastStep"]> = async ({
  pr,
  branch,
  conclusion,
}) => {
  const tested = Number(/pr-(\d+)/.exec(branch)?.[1] ?? 0);
  while (pr === null && held.has(tested) && !opened.has(tested))
    await new Promise((resolve) => setTimeout(resolve, 20));
  return conclusion;
};

async function open(options: Partial<StageOptions>, prs: number): Promise<number[]> {
  stage = await Stage.open({ ...options, ci: { lastStep } });
  const numbers: number[] = [];
  for (let pr = 1; pr <= prs; pr++) numbers.push(await stage.openPullRequest(`pr-${pr}`));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  beforeMerges = Date.now() - 100;
  return numbers;
}

const submit = async (...prs: number[]) => {
  for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
};
const staleMs = () => Date.now() - beforeMerges;

/** The branches on which a pull request was tested. */
const testsOf = (pr: number) =>
  sandbox()
    .workflowRuns("acme/widgets")
    .filter(({ event, headBranch }) => event === "push" && headBranch?.includes(`/pr-${pr}/`));

test("a stale reading of the base after the queue's own merge does not discard tests", async () => {
  held.add(2);
  const [one = 0, two = 0] = await open(
    { queue: { concurrency: 2 }, environment: { TRAINYARD_RECONCILE_MS: "1000" } },
    2,
  );
  await submit(one, two);
  await stage.until(one, "merged");
  for (const readings of [1, 2]) {
    sandbox().faults.next({ operation: "git/get-ref", kind: "stale", staleMs: () => staleMs() + 1_000 });
    await eventually(async () => sandbox().faults.injected[readings - 1] ?? null, "an older reading");
  }
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  opened.add(2);
  await stage.until(two, "merged");
  expect([testsOf(one).length, testsOf(two).length]).toEqual([1, 1]);
});

test.each([
  ["squash", "the base and pull requests", ["graphql/repository", "git/get-ref"]],
  ["merge_commit", "the base and pull requests", ["graphql/repository", "git/get-ref"]],
  ["merge_commit", "the base alone", ["git/get-ref"]],
] as const)(
  "between the merges of a batch with %s, stale readings of %s restart no test",
  async (mergeMethod, _what, operations) => {
    const prs = await open(
      { queue: { mergeMethod, batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 } },
      3,
    );
    for (const pr of prs) held.add(pr);
    await submit(...prs);
    await stage.until(prs[0] ?? 0, "testing");
    for (const operation of operations)
      sandbox().faults.next({ operation, kind: "stale", staleMs, lastsMs: 4_000 });
    if (mergeMethod === "merge_commit")
      sandbox().faults.next({ operation: "graphql/updateRefs", kind: "500", side: "after" });
    for (const pr of prs) opened.add(pr);
    for (const pr of prs)
      expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
    expect(sandbox().faults.count().stale).toBeGreaterThan(0);
    expect(prs.flatMap(testsOf)).toHaveLength(1);
  },
);

test("a merge whose answer was lost counts as the queue's own, although its pull request looks open for a while", async () => {
  const [one = 0] = await open({ queue: { mergeMethod: "squash" } }, 1);
  sandbox().faults.next({ operation: "pulls/merge", kind: "500", side: "after" });
  sandbox().faults.next({ operation: "pulls/get", kind: "stale", staleMs, lastsMs: 4_000 });
  await submit(one);
  expect(await stage.until(one, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect(sandbox().faults.count().stale).toBeGreaterThan(0);
  expect(testsOf(one)).toHaveLength(1);
});

test("a push to the base is read although the ETag of its ref lags", async () => {
  held.add(1);
  const [one = 0] = await open({ queue: {} }, 1);
  await submit(one);
  await stage.until(one, "testing");
  sandbox().faults.next({
    operation: "git/get-ref",
    kind: "lagging_etag",
    staleMs: () => staleMs() + 1_000,
    lastsMs: 10_000,
  });
  // The reconciler's first rounds have read the base, so it would not see this push for a minute.
  await stage.pushToMain({ "straight.txt": "1\n" });
  await eventually(async () => (testsOf(one).length > 1 ? true : null), "the tests on the new base", 45_000);
});

test("checks that a webhook reports as ended are read again when a reading is stale", async () => {
  const [one = 0] = await open({ queue: {} }, 1);
  for (const kind of ["stale", "lagging_etag"] as const)
    sandbox().faults.next({ operation: "checks/*", kind, staleMs, lastsMs: 1_000 });
  await submit(one);
  await eventually(async () => ((await stage.look(one))?.state === "merged" ? true : null), "the merge");
  expect(sandbox().faults.count().stale).toBeGreaterThan(0);
});
