import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Api, startApi } from "../../api/api-harness.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
  await quarantineFlaky("");
  for (const shard of [1, 2]) await quarantineFlaky(`shard=${shard}`);
});
afterAll(() => api.close());

const sha = (text: string) => createHash("sha1").update(text).digest("hex");

/** A report in which the test \`flaky\` fails and all others pass. */
function report(tests: readonly string[]): string {
  const cases = tests.map(
    (name) => `<testcase name="${name}">${name === "flaky" ? "<failure/>" : ""}</testcase>`,
  );
  const failures = tests.filter((name) => name === "flaky").length;
  return `<testsuite name="all" tests="${tests.length}" failures="${failures}">${cases.join("")}</testsuite>`;
}

let runs = 0;
/** Uploads a run of tests on the commit \`head\`, whose tree has a name of its own. */
async function run(job: string, head: string, tests: readonly string[], more: object = {}) {
  runs += 1;
  const { body } = await api.post("uploadTestResults", {
    ...{ repo: api.queue.repo, branch: "main", kind: "stable", job, run_id: `run ${runs}` },
    ...{ head_sha: sha(head), tree_sha: sha(`tree of ${head} in ${job}`) },
    step_failed: tests.includes("flaky"),
    reports: [{ path: "junit.xml", content: report(tests) }],
    ...more,
  });
  return body;
}

async function quarantineFlaky(variant: string): Promise<void> {
  const { failed } = await run("other", "other", ["flaky"], { variant });
  const [{ id }] = failed as [{ id: string }];
  const setting = { quarantine_setting: "ALWAYS_QUARANTINE", reason: "it is flaky" };
  await api.post("setQuarantine", { repo: api.queue.repo, test_case_id: id, ...setting });
}

const pull = (number: number, base: string | null) => ({
  ...{ kind: "pr", pr: { number }, branch: `change-${number}` },
  ...(base === null ? {} : { base_sha: sha(base) }),
});
const missing = (...names: string[]) => ({
  ...{ verdict: "unknown", code: "TESTS_MISSING" },
  message: expect.stringContaining(names.map((name) => JSON.stringify(name)).join(", ")),
});
const forgiven = { verdict: "quarantined" };

test("a pull request on an older base need not have the tests that were added since", async () => {
  await run("grows", "first", ["spins"]);
  await run("grows", "second", ["spins", "turns"]);
  expect(await run("grows", "of first", ["spins", "flaky"], pull(1, "first"))).toMatchObject(forgiven);
  expect(await run("grows", "of unknown", ["spins", "flaky"], pull(2, null))).toMatchObject(forgiven);
});

test("a pull request that lacks a test of its base is not forgiven because it adds another", async () => {
  await run("adds", "first", ["spins"]);
  await run("adds", "second", ["spins", "turns"]);
  const tests = ["spins", "of the change", "flaky"];
  expect(await run("adds", "of second", tests, pull(1, "second"))).toMatchObject(missing("turns"));
  expect(await run("adds", "of first", ["turns", "also", "flaky"], pull(2, null))).toMatchObject(
    missing("spins"),
  );
});

test("a test that only an unmerged pull request has in the queue is not expected elsewhere", async () => {
  await run("queues", "first", ["spins"]);
  const queued = { kind: "queue", branch: "trainyard-merge/pr-7/run", base_sha: sha("first") };
  await run("queues", "queued", ["spins", "of 7"], queued);
  expect(await run("queues", "of first", ["spins", "flaky"], pull(8, null))).toMatchObject(forgiven);
});

test("a test that a pull request deletes is not expected after its first green run, in the queue neither", async () => {
  await run("deletes", "first", ["spins", "turns", "flakes"]);
  const change = pull(9, "first");
  expect(await run("deletes", "deleting", ["spins", "flaky"], change)).toMatchObject(
    missing("turns", "flakes"),
  );
  await run("deletes", "deleting", ["spins", "newer"], change);
  expect(await run("deletes", "deleted", ["spins", "flaky"], change)).toMatchObject(forgiven);
  const queued = { kind: "queue", branch: "trainyard-merge/pr-9/run", base_sha: sha("first") };
  expect(await run("deletes", "queued", ["spins", "flaky"], queued)).toMatchObject(forgiven);
  const other = { ...queued, branch: "trainyard-merge/pr-10/run" };
  expect(await run("deletes", "other", ["spins", "flaky"], other)).toMatchObject(missing("turns", "flakes"));
});

test("a name with a time or an id stands for the same name with another one", async () => {
  await run("generates", "first", ["loads 2026-11-28", "case 6"]);
  const generated = ["loads 2026-11-29", "case 6", "flaky"];
  expect(await run("generates", "of first", generated, pull(1, "first"))).toMatchObject(forgiven);
  const numbered = ["loads 2026-11-29", "case 7", "flaky"];
  expect(await run("generates", "again", numbered, pull(1, "first"))).toMatchObject(missing("case 6"));
});

/** Uploads a shard of a job. All shards of a job have one run for each commit. */
function shardOf(job: string, head: string, index: number, tests: readonly string[], more: object = {}) {
  return run(`${job} (${index})`, head, tests, {
    variant: `shard=${index}`,
    run_id: `run of ${head}`,
    ...more,
  });
}

test("if tests move between shards, a shard is forgiven once the others have what it lacks", async () => {
  const shard = (head: string, index: number, tests: readonly string[], more: object = {}) =>
    shardOf("moves", head, index, tests, more);
  await shard("first", 1, ["spins", "turns"]);
  await shard("first", 2, ["stops", "flies"]);
  const base = pull(1, "first");
  // "turns" and "stops" have changed places.
  const early = await shard("moved", 1, ["spins", "stops", "flaky"], base);
  const isEarly = { verdict: "unknown", code: "TESTS_MISSING", awaited_shards: 1, is_new: true };
  expect(early).toMatchObject(isEarly);
  expect(await shard("moved", 1, ["spins", "stops", "flaky"], base)).toMatchObject({
    ...isEarly,
    is_new: false,
  });
  const last = await shard("moved", 2, ["turns", "flies", "flaky"], base);
  expect(last).toMatchObject(forgiven);
  expect(last).not.toHaveProperty("awaited_shards");
  const repeated = await shard("moved", 1, ["spins", "stops", "flaky"], base);
  expect(repeated).toMatchObject({ ...forgiven, is_new: false, upload_id: early.upload_id });
  const again = { ...base, run_attempt: 2 };
  expect(await shard("moved", 1, ["spins", "stops", "flaky"], again)).toMatchObject(forgiven);
  // What a shard that passed lacks is missing in the others, and in its own next attempt.
  expect(await shard("lost", 1, ["spins", "stops"], base)).toMatchObject({ verdict: "unknown" });
  for (const run_attempt of [1, 2]) {
    const lost = await shard("lost", 2, ["flies", "flaky"], { ...base, run_attempt });
    expect(lost).toMatchObject(missing("turns"));
    expect(lost).not.toHaveProperty("awaited_shards");
  }
  // Neither does a shard fail because another one that was added has not reported yet.
  await shard("more", 1, ["spins", "flaky"], base);
  expect(await shard("more", 2, ["stops", "flies"], base)).toMatchObject({ verdict: "passed" });
});

test("shards that report at the same moment are forgiven when they ask again, and later runs are compared with them", async () => {
  const shard = (head: string, index: number, tests: readonly string[], more: object) =>
    shardOf("at once", head, index, tests, more);
  await Promise.all(
    ["spins", "turns", "stops"].map((name, at) => shard("before", at + 1, [name], { kind: "stable" })),
  );
  const queued = { kind: "queue", branch: "trainyard-merge/pr-7/run", base_sha: sha("before") };
  const both = () =>
    Promise.all([
      shard("at once", 1, ["turns", "added", "flaky"], queued),
      shard("at once", 2, ["stops", "flaky"], queued),
    ]);
  for (const answer of await both()) expect(answer).toMatchObject({ code: "TESTS_MISSING" });
  for (const answer of await both()) expect(answer).toMatchObject({ awaited_shards: 1 });
  await shard("at once", 3, ["spins"], queued);
  for (const answer of await both()) expect(answer).toMatchObject(forgiven);
  const on = pull(8, "at once");
  await shard("after", 2, ["stops"], on);
  await shard("after", 3, ["spins"], on);
  expect(await shard("after", 1, ["turns", "flaky"], on)).toMatchObject(missing("added"));
});

test("in a matrix of systems, a test that ran on another system is missing", async () => {
  const leg = (head: string, index: number, tests: readonly string[], more: object = {}) =>
    shardOf("legs", head, index, tests, more);
  for (const index of [1, 2]) await leg("first legs", index, ["spins", "turns"]);
  await leg("legs", 1, ["spins", "turns", "flaky"], pull(1, "first legs"));
  expect(await leg("legs", 2, ["spins", "flaky"], pull(1, "first legs"))).toMatchObject(missing("turns"));
});

test("a test that is missing in one of two systems is missing, too, when a moving shard of the other asks again", async () => {
  // The shards 1 and 2 run on one system, 3 and 4 on the other.
  const shard = (head: string, index: number, tests: readonly string[], more: object = {}) =>
    shardOf("grid", head, index, tests, more);
  const run = async (head: string, shards: readonly (readonly string[])[], more: object = {}) => {
    for (const [at, tests] of shards.entries()) if (tests.length > 0) await shard(head, at + 1, tests, more);
  };
  await run("grid", [["spins", "turns"], ["stops"], ["spins", "turns"], ["stops", "flies"]]);
  const change = pull(1, "grid");
  await run("lacks", [[], ["spins", "turns"], ["spins", "turns"], ["flies"]], change);
  for (const _ of ["first", "again"])
    expect(await shard("lacks", 1, ["stops", "flaky"], change)).toMatchObject(missing("stops"));
});

test("while the stable branch tests the same tree, the tests of its last complete run are expected, not those of an older one", async () => {
  const shard = (head: string, index: number, tests: readonly string[], more: object = {}) =>
    shardOf("merges", head, index, tests, more);
  for (const [head, first, second] of [
    ["oldest", ["spins", "turns"], ["stops", "deleted since"]],
    ["base", ["spins", "stops"], ["turns"]],
  ] as const) {
    await shard(head, 1, first);
    await shard(head, 2, second);
  }
  await shard("merged", 1, ["spins", "turns"]);
  const queued = { kind: "queue", branch: "trainyard-merge/pr-7/run" };
  const lacking = { ...queued, run_id: "run that lacks a test" };
  await shard("merged", 2, ["spins"], lacking);
  expect(await shard("merged", 1, ["turns", "flaky"], lacking)).toMatchObject(missing("stops"));
  const complete = { ...queued, run_id: "complete run" };
  await shard("merged", 2, ["spins", "stops"], complete);
  expect(await shard("merged", 1, ["turns", "flaky"], complete)).toMatchObject(forgiven);
});
