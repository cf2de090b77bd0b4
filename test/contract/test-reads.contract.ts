import { describe, expect, it } from "@jest/globals";
import { newHistory, type TestHistory } from "../../src/flaky/detection/history.ts";
import { day, hour } from "../../src/flaky/detection/settings.ts";
import type { StatusChange } from "../../src/flaky/detection/status.ts";
import { costOf } from "../../src/flaky/failure/test-cost.ts";
import type { Place, TestList } from "../../src/flaky/store/reads/test-records.ts";
import type { NewTestUpload } from "../../src/flaky/store/uploads/upload-records.ts";
import type { RunRecord } from "../../src/ports/run-record.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { buildCreation, buildQueue } from "./build-queue.ts";
import {
  buildEvaluated,
  buildNamedTest,
  buildResult,
  buildTestFailure,
  buildTestUpload,
  testRepo,
} from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const now = 400 * day + 10 * hour;
const quarantined: TestList = { kind: "quarantined" };
const unhealthy: TestList = { kind: "unhealthy", status: null };
const flaky: StatusChange = {
  status: "FLAKY",
  at: now - day,
  reason: { code: "FAILS_NOW_AND_THEN", streaks: 2 },
};

/** Creates tests with these names in a repository. */
async function know(store: Store, ...names: string[]): Promise<number> {
  const { id } = await store.testResults.addRepository(testRepo);
  await store.testResults.know(id, names.map(buildNamedTest), now);
  return id;
}

/** Quarantines tests from the given times on. */
async function quarantine(
  store: Store,
  repositoryId: number,
  since: Record<string, number>,
  lasts = 30 * day,
) {
  const ids = Object.keys(since).map((name) => `id-of-${name}`);
  await store.quarantines.revise(repositoryId, ids, now, ({ candidates }) => ({
    revisions: candidates
      .filter(({ name }) => name in since)
      .map(({ sk, name }) => ({
        ...{ sk, mode: "ALWAYS", isQuarantined: true },
        quarantine: {
          since: since[name] ?? 0,
          expiresAt: (since[name] ?? 0) + lasts,
          owner: null,
          reason: "",
        },
      })),
    isBudgetSpent: null,
  }));
}

/** Records an upload and evaluates it, with the given new statuses of tests. */
async function upload(
  store: Store,
  repositoryId: number,
  more: Partial<NewTestUpload>,
  statuses: Readonly<Record<string, StatusChange>> = {},
): Promise<void> {
  const failed = (more.failures ?? []).map(
    ({ id }) => ({ ...buildResult(""), id, first: "failed", last: "failed" }) as const,
  );
  await store.testResults.record(repositoryId, buildTestUpload({ results: failed, ...more }));
  const uploads = await store.testEvaluations.unevaluated(10);
  const histories = new Map<number, TestHistory>();
  for (const [name, status] of Object.entries(statuses)) {
    const test = await store.quarantines.find(repositoryId, `id-of-${name}`);
    const history = newHistory(0);
    histories.set(test?.sk ?? 0, { ...history, changes: [...history.changes, status] });
  }
  expect(await store.testEvaluations.settle({ uploads, tests: buildEvaluated(histories), at: now })).toBe(
    true,
  );
}

async function names(
  store: Store,
  list: TestList,
  from: Partial<Parameters<Store["testReads"]["list"]>[2]> = {},
  at = now,
) {
  const query = { direction: "after", place: null, limit: 100, ...from } as const;
  return (await store.testReads.list(testRepo, list, query, at)).map(({ name }) => name);
}

export function testReadsContract(create: CreateDatabase): void {
  describe("the test queries", () => {
    const open = databaseForEachTest(create);

    it("return nothing if nothing was uploaded", async () => {
      const store = await open();
      expect(await names(store, quarantined)).toEqual([]);
      expect(await store.testReads.count(testRepo, unhealthy, null, now)).toBe(0);
      expect(await store.testReads.details(testRepo, "id-of-a", now)).toBeNull();
      expect(await store.testReads.reportsOn(testRepo, "a".repeat(40), now)).toEqual([]);
    });

    it("find the tests that failed before on pull requests or commits, the last one first", async () => {
      const store = await open();
      const repository = await know(store, "old", "own", "again", "other", "many", "passed");
      const failing = (at: number, name: string, more: Partial<NewTestUpload>) =>
        upload(store, repository, { at, kind: "pr", pr: 7, failures: [buildTestFailure(name)], ...more });
      await failing(now - 15 * day, "old", {});
      await failing(now - 3 * day, "again", {});
      await failing(now - 2 * day, "own", { failures: [buildTestFailure("own", { isFinal: false })] });
      await failing(now - day, "other", { pr: 8 });
      await failing(now - hour, "again", { kind: "queue", pr: null, headSha: "c".repeat(40) });
      await failing(now - hour, "many", { isSuspect: true });
      const found = async (prs: readonly number[], shas: readonly string[], limit = 9) =>
        (await store.testReads.failedBefore(testRepo, { prs, shas }, limit, now)).map(
          ({ name, failedRuns, lastFailedAt }) => [name, failedRuns, lastFailedAt],
        );
      const own = ["own", 1, now - 2 * day];
      expect(await found([7], ["c".repeat(40)])).toEqual([["again", 2, now - hour], own]);
      expect(await found([7], [])).toEqual([own, ["again", 1, now - 3 * day]]);
      expect(await found([7], [], 1)).toEqual([own]);
      expect(await found([], ["d".repeat(40)])).toEqual([]);
      expect(await found([], [])).toEqual([]);
    });

    it("page through a list in both directions, also between tests with equal times", async () => {
      const store = await open();
      const repository = await know(store, "a", "b", "c", "d", "e");
      await quarantine(store, repository, { a: 1, b: 2, c: 2, d: 2, e: 3 }, now);
      const all = ["e", "d", "c", "b", "a"];
      expect(await names(store, quarantined)).toEqual(all);
      const rows = await store.testReads.list(
        testRepo,
        quarantined,
        { direction: "after", place: null, limit: 9 },
        now,
      );
      for (const [index, { at, key }] of rows.entries()) {
        const place: Place = { at, key };
        expect(await names(store, quarantined, { place })).toEqual(all.slice(index + 1));
        expect(await names(store, quarantined, { place, direction: "before" })).toEqual(
          all.slice(0, index).reverse(),
        );
        expect(await names(store, quarantined, { place, direction: "before", limit: 1 })).toEqual(
          all.slice(0, index).slice(-1),
        );
        expect(await store.testReads.count(testRepo, quarantined, place, now)).toBe(index);
      }
      expect(await names(store, quarantined, { direction: "before", limit: 2 })).toEqual(["a", "b"]);
      expect(await store.testReads.count({ ...testRepo, owner: "ACME" }, quarantined, null, now)).toBe(5);
      expect(await store.testReads.count({ ...testRepo, name: "other" }, quarantined, null, now)).toBe(0);
    });

    it("omit expired quarantines", async () => {
      const store = await open();
      const repository = await know(store, "old", "new");
      await quarantine(store, repository, { old: now - 31 * day, new: now - day });
      expect(await names(store, quarantined)).toEqual(["new"]);
      expect(await store.testReads.count(testRepo, quarantined, null, now)).toBe(1);
      expect((await store.testReads.details(testRepo, "id-of-old", now))?.quarantinedAt).toBeNull();
      expect((await store.testReads.details(testRepo, "ID-OF-new", now))?.quarantinedAt).toBe(now - day);
    });

    it("list flaky and broken tests by the time of their status", async () => {
      const store = await open();
      const repository = await know(store, "a", "b", "c");
      const broken: StatusChange = {
        ...{ status: "BROKEN", at: now },
        reason: { code: "FAILS_EACH_TIME", failures: 3, tree: "t" },
      };
      await upload(store, repository, {}, { a: flaky, b: broken });
      expect(await names(store, unhealthy)).toEqual(["b", "a"]);
      expect(await names(store, { kind: "unhealthy", status: "FLAKY" })).toEqual(["a"]);
      const [row] = await store.testReads.list(
        testRepo,
        unhealthy,
        { direction: "after", place: null, limit: 1 },
        now,
      );
      expect(row).toMatchObject({
        id: "id-of-b",
        at: now,
        status: broken,
        quarantinedAt: null,
        codeowners: [],
      });
      expect(
        (await store.testReads.details(testRepo, "id-of-a", now))?.changes.map(({ status }) => status),
      ).toEqual(["HEALTHY", "FLAKY"]);
    });

    it("list each test once that failed in a time span, except in suspect uploads", async () => {
      const store = await open();
      const repository = await know(store, "a", "b", "c", "d");
      const failing = (at: number, name: string, more: Partial<NewTestUpload> = {}) =>
        upload(store, repository, { at, failures: [buildTestFailure(name)], ...more });
      await failing(100, "a");
      await failing(150, "a");
      await failing(199, "b");
      await failing(200, "c");
      await failing(150, "d", { isSuspect: true });
      expect(await names(store, { kind: "failing", from: 100, until: 200 })).toEqual(["b", "a"]);
      expect(await names(store, { kind: "failing", from: 101, until: 201 })).toEqual(["c", "b", "a"]);
      expect(await store.testReads.count(testRepo, { kind: "failing", from: 0, until: 100 }, null, now)).toBe(
        0,
      );
    });

    it("list new failures from page to page, beside those of past hours", async () => {
      const store = await open();
      const repository = await know(store, "a", "b", "c");
      const failing = (at: number, name: string) =>
        upload(store, repository, { at, failures: [buildTestFailure(name)] });
      const span: TestList = { kind: "failing", from: now - 3 * hour, until: now + hour };
      await failing(now - 2 * hour, "a");
      let later = 0;
      const listed = (list = span) => names(store, list, {}, now + ++later);
      expect(await listed()).toEqual(["a"]);
      await failing(now - 1, "b");
      expect(await listed()).toEqual(["b", "a"]);
      await failing(now, "c");
      expect(await listed()).toEqual(["c", "b", "a"]);
      expect(await listed({ ...span, from: now - hour })).toEqual(["c", "b"]);
    });

    it("list the failures of a time span to the millisecond, wherever in an hour it begins and ends", async () => {
      const store = await open();
      const all = Array.from({ length: 13 }, (_, index) => `t${index}`);
      const repository = await know(store, ...all);
      const foreign = await store.testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
      await store.testResults.know(foreign.id, all.map(buildNamedTest), now);
      const begin = now - 3 * hour;
      // At the edges of hours, beside them, and in their middle; one failure is of a retried test that then
      // passed.
      const times = [0, 1, hour - 1, hour, hour + 1, 1.5 * hour, 2 * hour - 1, 2 * hour, 2 * hour + 1];
      const failing = (index: number) => [...new Set([`t${index}`, `t${(index * 5) % 11}`])];
      for (const [index, at] of times.entries())
        await upload(store, repository, {
          at: begin + at,
          failures: failing(index).map((name) => buildTestFailure(name)),
        });
      const retried = { isFinal: false, attempt: 1 };
      await upload(store, repository, {
        at: begin + hour + 7,
        results: [buildResult("t11", { first: "failed", flipped: true })],
        failures: [buildTestFailure("t11", retried)],
      });
      const suspect = { isSuspect: true, failures: [buildTestFailure("t12")] };
      await upload(store, repository, { at: begin + hour + 8, ...suspect });
      await upload(store, foreign.id, { at: begin + hour + 8, failures: [buildTestFailure("t10")] });
      const failures = [
        ...times.flatMap((at, index) => failing(index).map((name) => ({ at, name }))),
        { at: hour + 7, name: "t11" },
      ];
      const edges = [-1, 0, 1, hour - 1, hour, hour + 1, 2 * hour - 1, 2 * hour, 2 * hour + 1, 3 * hour];
      for (const from of edges)
        for (const until of edges.filter((end) => end > from)) {
          const failed = new Set(
            failures.filter(({ at }) => at >= from && at < until).map(({ name }) => name),
          );
          const list: TestList = { kind: "failing", from: begin + from, until: begin + until };
          const expected = all.filter((name) => failed.has(name)).toReversed();
          expect({ from, until, found: await names(store, list) }).toEqual({ from, until, found: expected });
          expect(await store.testReads.count(testRepo, list, null, now)).toBe(expected.length);
        }
    });

    it("page through failed tests in both directions while others fail", async () => {
      const store = await open();
      const repository = await know(store, "a", "b", "c", "d", "e", "f", "g");
      const failing = (...some: string[]) =>
        upload(store, repository, { at: now - hour, failures: some.map((name) => buildTestFailure(name)) });
      await failing("a", "c", "e", "g");
      const list: TestList = { kind: "failing", from: now - 7 * day, until: now };
      let time = now;
      const rows = async (direction: "after" | "before", place: Place | null, limit: number) =>
        await store.testReads.list(testRepo, list, { direction, place, limit }, ++time);
      const [g, e] = await rows("after", null, 2);
      expect([g?.name, e?.name, g?.at]).toEqual(["g", "e", 0]);
      await failing("f", "d", "b", "e");
      expect((await rows("after", e ?? null, 3)).map(({ name }) => name)).toEqual(["d", "c", "b"]);
      expect((await rows("before", e ?? null, 9)).map(({ name }) => name)).toEqual(["f", "g"]);
      expect((await rows("before", null, 2)).map(({ name }) => name)).toEqual(["a", "b"]);
      expect(await store.testReads.count(testRepo, list, e ?? null, ++time)).toBe(2);
      expect(await store.testReads.count(testRepo, list, null, ++time)).toBe(7);
      expect(await store.testReads.count({ ...testRepo, owner: "Elsewhere" }, list, null, now)).toBe(0);
    });

    it("count runs by the hour, except skipped ones and suspect uploads", async () => {
      const store = await open();
      const repository = await know(store, "a", "b");
      const ran = (at: number, last: "passed" | "failed" | "skipped", more: Partial<NewTestUpload> = {}) =>
        upload(store, repository, { at, results: [buildResult("a", { last })], ...more });
      await ran(now, "failed");
      await ran(now - 23 * hour, "passed");
      await ran(now - 23 * hour, "skipped");
      await ran(now - 24 * hour, "failed", { kind: "queue" });
      await ran(now - 6 * day, "passed", { kind: "pr" });
      await ran(now - 6 * day, "failed", { isSuspect: true });
      await ran(now - 7 * day - hour, "failed");
      expect(await store.testReads.details(testRepo, "id-of-a", now)).toMatchObject({
        lastDay: { runs: 2, failures: 1 },
        lastWeek: { runs: 4, failures: 2 },
      });
      expect((await store.testReads.details(testRepo, "id-of-b", now))?.lastWeek).toEqual({
        runs: 0,
        failures: 0,
      });
    });

    it("return the five most frequent failures of a week, the latest first among equals", async () => {
      const store = await open();
      const repository = await know(store, "a");
      const failed = (at: number, id: string, more: Partial<NewTestUpload> = {}) => {
        const fingerprint = { id: id.repeat(16), version: 1, summary: `summary ${id}` };
        return upload(store, repository, { at, failures: [buildTestFailure("a", { fingerprint })], ...more });
      };
      await failed(now - 8 * day, "0");
      for (const [index, id] of ["1", "2", "3", "4", "5", "6", "2"].entries())
        await failed(now - 1_000 + index, id);
      await failed(now, "1", { isSuspect: true });
      expect((await store.testReads.details(testRepo, "id-of-a", now))?.commonFailures).toEqual([
        { summary: "summary 2", count: 2, lastAt: now - 994 },
        { summary: "summary 6", count: 1, lastAt: now - 995 },
        { summary: "summary 5", count: 1, lastAt: now - 996 },
        { summary: "summary 4", count: 1, lastAt: now - 997 },
        { summary: "summary 3", count: 1, lastAt: now - 998 },
      ]);
    });

    it("count the pull requests of a week that the test failed finally and without a quarantine, in the queue, too", async () => {
      const store = await open();
      const repository = await know(store, "a");
      const failed = (pr: number | null, more: Parameters<typeof buildTestFailure>[1] = {}, at = now) =>
        upload(store, repository, { at, kind: "pr", pr, failures: [buildTestFailure("a", more)] });
      await failed(1);
      await failed(1);
      await failed(2);
      await failed(3, { isFinal: false });
      await failed(4, { isQuarantined: true });
      await failed(5, {}, now - 8 * day);
      await failed(null);
      const branch = "trainyard-merge/pr-6/run";
      await upload(store, repository, {
        ...{ at: now, kind: "queue", pr: null, branch, failures: [buildTestFailure("a")] },
      });
      expect((await store.testReads.details(testRepo, "id-of-a", now))?.pullRequestsImpacted).toBe(3);
      // The pages count the same.
      const { runs } = await store.testReads.recentFailures(testRepo, now);
      expect([...costOf(runs, now).pullRequests].toSorted()).toEqual([1, 2, 6]);
    });

    it("tell each failed run of 14 days with its pull request and the next run on its tree", async () => {
      const store = await open();
      const repository = await know(store, "a", "b");
      const run = (at: number, failing: readonly string[], more: Partial<NewTestUpload> = {}) =>
        upload(store, repository, {
          ...{ at, kind: "pr", pr: 4, treeSha: "1".repeat(40) },
          failures: failing.map((name) => buildTestFailure(name)),
          ...more,
        });
      const queued = {
        kind: "queue",
        pr: null,
        branch: "trainyard-merge/pr-9/run",
        treeSha: "2".repeat(40),
      } as const;
      await run(now - 15 * day, ["a"]);
      const slow = [buildResult("a", { durationMs: 1_999.6 }), buildResult("b", { durationMs: 500 })];
      await run(now - 9, ["a", "b"], { results: slow });
      await run(now - 8, ["a"], { runAttempt: 2, isSuspect: true });
      await run(now - 7, ["b"], { job: "other" });
      await run(now - 6, [], {
        failures: [buildTestFailure("a", { isFinal: false })],
        ...{ results: [buildResult("a", { durationMs: 0 })], runAttempt: 3 },
      });
      await run(now - 5, ["b"], queued);
      const queues = ["of the repository", "of the wrong repository"].map((id) =>
        buildQueue({ id, repo: testRepo }),
      );
      await store.testResults.addRepository({ ...testRepo, name: "Others" });
      for (const [index, queue] of queues.entries()) {
        const isOther = index > 0;
        const repo = isOther ? { ...testRepo, name: "Others" } : { ...testRepo, owner: "ACME" };
        const record = {
          run: { id: "run", startedAt: now - 60, commits: [] },
          endedAt: isOther ? now : now - 20,
        };
        const creation = buildCreation({ ...queue, repo });
        await store.queues.commit({ ...creation, runs: [record as unknown as RunRecord] });
      }
      const { runs } = await store.testReads.recentFailures(testRepo, now);
      const [a, b] = await Promise.all(
        ["a", "b"].map((name) => store.quarantines.find(repository, `id-of-${name}`)),
      );
      const told = runs.map(({ sk, at, isCounted, pr, isInQueue, next, testsMs, testRun }) => [
        sk === a?.sk ? "a" : sk === b?.sk ? "b" : "?",
        at - now,
        isCounted,
        pr,
        isInQueue,
        next && next.at - now,
        testsMs,
        testRun,
      ]);
      expect(told.toSorted()).toEqual(
        [
          ["a", -6, false, 4, false, null, null, null],
          ["a", -9, true, 4, false, -6, 2_500, null],
          ["b", -5, true, 9, true, null, 7, { id: "run", ms: 40 }],
          ["b", -7, true, 4, false, null, 7, null],
          ["b", -9, true, 4, false, -6, 2_500, null],
        ].toSorted(),
      );
      const ofA = (await store.testReads.recentFailures(testRepo, now, a?.sk)).runs;
      expect(ofA).toEqual(runs.filter(({ sk }) => sk === a?.sk));
      const search = { text: "", owner: "", suite: "SUI", state: "any" } as const;
      const found = await store.testReads.search(testRepo, search, 1, now);
      expect(found?.matches.map(({ sk }) => sk)).toEqual([b?.sk]);
    });

    it("tell the outcomes of each day, the failures by message with their runs, and the quarantine", async () => {
      const store = await open();
      const repository = await know(store, "a");
      await quarantine(store, repository, { a: now - hour });
      const ran = (at: number, last: "passed" | "failed", more: Partial<NewTestUpload> = {}) => {
        const failures = last === "failed" ? [buildTestFailure("a")] : [];
        return upload(store, repository, { at, results: [buildResult("a", { last })], failures, ...more });
      };
      const flipped = buildResult("a", { first: "failed", last: "passed", flipped: true });
      await ran(now - 30 * day, "failed");
      await ran(now - day, "passed");
      for (let run = 0; run < 7; run++) await ran(now - day + run, "failed", { runId: `run ${run}` });
      await ran(now, "passed", { results: [flipped], failures: [buildTestFailure("a", { isFinal: false })] });
      await ran(now, "failed", { isSuspect: true });
      const story = await store.testReads.story(testRepo, "id-of-a", now);
      const today = Math.floor(now / day) * day;
      expect(story?.days.length).toBe(30);
      expect(story?.days.slice(-3)).toEqual([
        { at: today - 2 * day, passed: 0, flaky: 0, failed: 0 },
        { at: today - day, passed: 1, flaky: 0, failed: 7 },
        { at: today, passed: 0, flaky: 1, failed: 0 },
      ]);
      expect(story).toMatchObject({
        failures: [{ summary: "expected %, got %", count: 8, firstAt: now - 30 * day, lastAt: now }],
        ...{ suspectRuns: 1, issue: null, evidence: [] },
        quarantine: { since: now - hour, expiresAt: now - hour + 30 * day },
      });
      expect(story?.failures[0]?.runs.slice(1).map(({ runId }) => runId)).toEqual([
        ...["run 6", "run 5", "run 4", "run 3"],
      ]);
    });

    it("return the reports on a commit, and which failed tests are known to be flaky", async () => {
      const store = await open();
      const repository = await know(store, "flaky", "held", "healthy");
      await quarantine(store, repository, { held: now - day });
      const headSha = "c".repeat(40);
      const failures = ["flaky", "held", "healthy"].map((name) => buildTestFailure(name));
      const results = ["flaky", "held", "healthy"].map((name) => buildResult(name, { last: "failed" }));
      const undone = buildTestFailure("flaky", { isFinal: false });
      await upload(store, repository, { headSha, verdict: "failed", failures, results }, { flaky });
      await upload(store, repository, {
        headSha,
        runAttempt: 2,
        results: [buildResult("flaky")],
        failures: [undone],
      });
      await upload(store, repository, { headSha: "d".repeat(40) });
      const [first, second, ...others] = await store.testReads.reportsOn(testRepo, headSha, now);
      expect(others).toEqual([]);
      expect(first).toMatchObject({
        runAttempt: 1,
        job: "test",
        verdict: "failed",
        isSuspect: false,
        failedCount: 3,
      });
      expect(first?.failed.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { name: "flaky", isKnownFlaky: true, isNew: false },
        { name: "healthy", isKnownFlaky: false, isNew: false },
        { name: "held", isKnownFlaky: true, isNew: false },
      ]);
      expect(second).toMatchObject({ runAttempt: 2, verdict: "passed", failedCount: 0, failed: [] });
    });

    it("return the failures of an upload whose many new tests have no rows yet", async () => {
      const store = await open();
      const names = Array.from({ length: 1_000 }, (_, index) => `turns ${index}`);
      const repository = await know(store, ...names);
      const [first = ""] = names;
      const results = names.map((name) => buildResult(name, name === first ? { last: "failed" } : {}));
      const failures = [buildTestFailure(first)];
      const headSha = "e".repeat(40);
      await store.testResults.record(repository, buildTestUpload({ at: now, headSha, results, failures }));
      const [report] = await store.testReads.reportsOn(testRepo, headSha, now);
      expect(report).toMatchObject({ failedCount: 1, failed: [{ name: first }] });
    });

    describe("report a failed test as new", () => {
      const [onBase, tested] = ["b".repeat(40), "e".repeat(40)];
      const report = (names: readonly string[], more: Partial<NewTestUpload>) => ({
        results: names.map((name) => buildResult(name)),
        ...more,
      });

      /** Returns whether the test `added` counts as new in a queue run where it fails, after some uploads. */
      async function isNew(
        before: readonly Partial<NewTestUpload>[],
        { retryNewTests = true } = {},
      ): Promise<boolean | undefined> {
        const store = await open();
        const repository = await know(store, "old", "added");
        await store.testSettings.change(repository, { retryNewTests });
        for (const one of before) await upload(store, repository, one);
        await upload(store, repository, {
          ...{ headSha: tested, kind: "queue", verdict: "failed", isGreen: false },
          results: [buildResult("old"), buildResult("added", { last: "failed" })],
          failures: [buildTestFailure("added")],
        });
        const [only] = await store.testReads.reportsOn(testRepo, tested, now);
        return only?.failed[0]?.isNew;
      }
      const before = report(["old"], { headSha: onBase });
      const lateReports = [{ encoding: "gzip", content: new Uint8Array([1]) }] as const;

      it("when the job was green without it, on a stable branch or in the queue", async () => {
        expect(await isNew([before])).toBe(true);
        expect(await isNew([report(["old"], { headSha: onBase, kind: "queue" })])).toBe(true);
      });

      it("even if it ran in pull requests, and in a failed run of the queue", async () => {
        const inPullRequest = report(["old", "added"], { kind: "pr", pr: 7 });
        const failed = report(["old", "added"], { kind: "queue", isGreen: false, headSha: "f".repeat(40) });
        expect(await isNew([before, inPullRequest, failed])).toBe(true);
      });

      it.each<[what: string, before: readonly Partial<NewTestUpload>[]]>([
        ["the job was never green on the base", [report(["old"], { kind: "pr", pr: 7 })]],
        ["a stable branch has run it", [before, report(["added"], { job: "other", headSha: onBase })]],
        ["a green run of the queue contains it", [before, report(["added"], { kind: "queue" })]],
        ["the green run still lacks results", [{ ...before, late: { passed: 1, reports: lateReports } }]],
      ])("but not when %s", async (_what, uploads) => {
        expect(await isNew(uploads)).toBe(false);
      });

      it("but not unless the repository wants that", async () => {
        expect(await isNew([before], { retryNewTests: false })).toBe(false);
      });
    });
  });
}
