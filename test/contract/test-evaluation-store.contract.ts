import { describe, expect, it } from "@jest/globals";
import { newHistory, type TestHistory } from "../../src/flaky/detection/history.ts";
import { day, hour } from "../../src/flaky/detection/settings.ts";
import type { StatusChange } from "../../src/flaky/detection/status.ts";
import type { NewTestUpload, TestResult } from "../../src/flaky/store/uploads/upload-records.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
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
const flaky: StatusChange = { status: "FLAKY", at: now, reason: { code: "FAILS_NOW_AND_THEN", streaks: 2 } };
const flakyHistory: TestHistory = { ...newHistory(0), changes: [...newHistory(0).changes, flaky] };

/** Two repositories with the same tests `a` and `b`, and results of their runs. */
class Repositories {
  readonly store: Store;
  readonly own: number;
  readonly foreign: number;

  private constructor(store: Store, own: number, foreign: number) {
    this.store = store;
    this.own = own;
    this.foreign = foreign;
  }

  static async in(store: Store): Promise<Repositories> {
    const { id: own } = await store.testResults.addRepository(testRepo);
    const { id: foreign } = await store.testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
    for (const id of [own, foreign])
      await store.testResults.know(id, ["a", "b"].map(buildNamedTest), now - 50 * day);
    return new Repositories(store, own, foreign);
  }

  async record(repositoryId: number, more: Partial<NewTestUpload> = {}): Promise<number> {
    const results = [buildResult("a"), buildResult("b", { last: "failed" })];
    const upload = buildTestUpload({ at: now, results, failures: [buildTestFailure("b")], ...more });
    return (await this.store.testResults.record(repositoryId, upload)).id;
  }

  async sk(repositoryId: number, name: string): Promise<number> {
    const test = await this.store.quarantines.find(repositoryId, `id-of-${name}`);
    if (!test) throw new Error(`there is no test ${name}`);
    return test.sk;
  }

  async settle(histories: ReadonlyMap<number, TestHistory> = new Map(), by: Store = this.store) {
    const uploads = await by.testEvaluations.unevaluated(100);
    return await by.testEvaluations.settle({ uploads, tests: buildEvaluated(histories), at: now });
  }

  async counts(repositoryId: number, name: string, since = now - day) {
    const sk = await this.sk(repositoryId, name);
    return (await this.store.testEvaluations.countRuns([sk], since)).get(sk);
  }
}

export function testEvaluationStoreContract(create: CreateDatabase): void {
  describe("the test evaluation store", () => {
    const open = databaseForEachTest(create);
    const openWithTests = async () => Repositories.in(await open());
    const idsOf = (uploads: readonly { id: number }[]) => uploads.map(({ id }) => id);

    it("returns unevaluated uploads in order of arrival, at most the limit", async () => {
      const yard = await openWithTests();
      const { testEvaluations } = yard.store;
      const ids = [];
      for (const id of [yard.own, yard.foreign, yard.own]) ids.push(await yard.record(id));
      expect(idsOf(await testEvaluations.unevaluated(2))).toEqual(ids.slice(0, 2));
      const uploads = await testEvaluations.unevaluated(2);
      expect(await testEvaluations.settle({ uploads, tests: new Map(), at: now })).toBe(true);
      expect(idsOf(await testEvaluations.unevaluated(2))).toEqual(ids.slice(2));
    });

    it("makes the quarantines due once for a repository whose histories changed", async () => {
      const yard = await openWithTests();
      const { quarantines } = yard.store;
      await yard.record(yard.foreign);
      await yard.settle();
      expect(await quarantines.due(now)).toEqual([]);
      await yard.record(yard.own);
      await yard.settle(new Map([[await yard.sk(yard.own, "a"), flakyHistory]]));
      expect(await quarantines.due(now)).toEqual([yard.own]);
      await quarantines.revise(yard.own, [], now, () => ({ revisions: [], isBudgetSpent: null }));
      expect(await quarantines.due(now)).toEqual([]);
    });

    it("returns an upload as recorded, and its results by test number any number of times", async () => {
      const yard = await openWithTests();
      const b: TestResult = { ...buildResult("b"), first: "failed", flipped: true, durationMs: 250 };
      const more = { kind: "pr", job: "unit", variant: "linux", runAttempt: 3, isSuspect: true } as const;
      const id = await yard.record(yard.own, { ...more, results: [b, buildResult("a")] });
      const [upload] = await yard.store.testEvaluations.unevaluated(9);
      expect(upload).toMatchObject({ id, repositoryId: yard.own, at: now, treeSha: "b".repeat(40), ...more });
      for (let time = 0; time < 2; time++)
        expect([...(upload?.results ?? [])]).toEqual([
          {
            ...{ sk: await yard.sk(yard.own, "a"), first: "passed", last: "passed" },
            flipped: false,
            durationMs: 7,
          },
          {
            ...{ sk: await yard.sk(yard.own, "b"), first: "failed", last: "passed" },
            flipped: true,
            durationMs: 250,
          },
        ]);
    });

    it("returns earlier uploads of the same tree, job and variant, the newest first", async () => {
      const yard = await openWithTests();
      const { testEvaluations } = yard.store;
      const [first, second] = [await yard.record(yard.own), await yard.record(yard.own)];
      for (const more of [
        { treeSha: "c".repeat(40) },
        { job: "lint" },
        { variant: "windows" },
        { isSuspect: true },
      ])
        await yard.record(yard.own, more);
      await yard.record(yard.foreign);
      const last = await yard.record(yard.own);
      await yard.record(yard.own);
      const upload = (await testEvaluations.unevaluated(99)).find(({ id }) => id === last);
      if (!upload) throw new Error("the upload is not there");
      expect(idsOf(await testEvaluations.beforeOnTree(upload, 9))).toEqual([second, first]);
      expect(idsOf(await testEvaluations.beforeOnTree(upload, 1))).toEqual([second]);
      await yard.settle();
      expect(idsOf(await testEvaluations.beforeOnTree(upload, 9))).toEqual([second, first]);
    });

    it("counts an upload once when several processes evaluate it at the same time", async () => {
      const yard = await openWithTests();
      await yard.record(yard.own);
      const others = [await open(), await open()];
      const tests = buildEvaluated([[await yard.sk(yard.own, "b"), flakyHistory]]);
      const settled = await Promise.all(
        [yard.store, ...others].map(async (store) => {
          const uploads = await store.testEvaluations.unevaluated(9);
          return { store, uploads };
        }),
      );
      const answers = await Promise.all(
        settled.map(({ store, uploads }) => store.testEvaluations.settle({ uploads, tests, at: now })),
      );
      expect(answers.toSorted()).toEqual([false, false, true]);
      expect(await yard.counts(yard.own, "a")).toEqual({ runs: 1, failures: 0 });
      expect(await yard.counts(yard.own, "b")).toEqual({ runs: 1, failures: 1 });
    });

    it("discards an evaluation when one of its uploads was evaluated meanwhile", async () => {
      const yard = await openWithTests();
      const { testEvaluations } = yard.store;
      await yard.record(yard.own);
      const early = await testEvaluations.unevaluated(9);
      const later = await yard.record(yard.own);
      const both = await testEvaluations.unevaluated(9);
      expect(await testEvaluations.settle({ uploads: early, tests: new Map(), at: now })).toBe(true);
      const tests = buildEvaluated([[await yard.sk(yard.own, "b"), flakyHistory]]);
      expect(await testEvaluations.settle({ uploads: both, tests, at: now })).toBe(false);
      expect(idsOf(await testEvaluations.unevaluated(9))).toEqual([later]);
      expect((await testEvaluations.histories(yard.own)).size).toBe(0);
      expect(await yard.counts(yard.own, "a")).toEqual({ runs: 1, failures: 0 });
      expect((await yard.store.quarantines.find(yard.own, "id-of-b"))?.status.status).toBe("HEALTHY");
    });

    it("keeps histories and the resulting status of the given tests", async () => {
      const yard = await openWithTests();
      await yard.record(yard.own);
      const sk = await yard.sk(yard.own, "b");
      expect(await yard.settle(new Map([[sk, flakyHistory]]))).toBe(true);
      const other = await open();
      expect(await other.testEvaluations.histories(yard.own)).toEqual(new Map([[sk, flakyHistory]]));
      expect((await other.testEvaluations.histories(yard.foreign)).size).toBe(0);
      const statusOf = async (repositoryId: number, name: string) =>
        (await other.quarantines.find(repositoryId, `id-of-${name}`))?.status;
      expect(await statusOf(yard.own, "b")).toEqual(flaky);
      for (const [repositoryId, name] of [
        [yard.own, "a"],
        [yard.foreign, "b"],
      ] as const)
        expect(await statusOf(repositoryId, name)).toMatchObject({ status: "HEALTHY" });
    });

    it("counts first attempts since a day on every kind of branch, except suspect or skipped ones", async () => {
      const yard = await openWithTests();
      const ran = (last: TestResult["last"], more: Partial<NewTestUpload> = {}) =>
        yard.record(yard.own, { results: [buildResult("a", { last })], failures: [], ...more });
      await ran("failed", { at: now - 2 * day });
      await ran("passed", { kind: "pr" });
      await ran("failed", { kind: "queue" });
      await ran("skipped");
      await ran("failed", { isSuspect: true });
      await yard.record(yard.own, {
        results: [buildResult("a", { first: "failed", last: "passed" })],
        failures: [],
      });
      await yard.record(yard.foreign);
      await yard.settle();
      expect(await yard.counts(yard.own, "a", now)).toEqual({ runs: 3, failures: 2 });
      expect(await yard.counts(yard.own, "a", now - 2 * day)).toEqual({ runs: 4, failures: 3 });
      expect(await yard.counts(yard.own, "b", 0)).toEqual({ runs: 0, failures: 0 });
      expect(await yard.counts(yard.foreign, "b", 0)).toEqual({ runs: 1, failures: 1 });
      expect((await yard.store.testEvaluations.countRuns([], 0)).size).toBe(0);
    });

    it("does not give up an upload or history that is readable or does not exist", async () => {
      const yard = await openWithTests();
      const { testEvaluations, meters } = yard.store;
      const id = await yard.record(yard.own);
      const sk = await yard.sk(yard.own, "b");
      await yard.settle(new Map([[sk, flakyHistory]]));
      expect(await testEvaluations.giveUp({ kind: "history", sk }, now)).toBe(false);
      expect(await testEvaluations.giveUp({ kind: "history", sk: sk + 100 }, now)).toBe(false);
      expect(await testEvaluations.giveUp({ kind: "upload", id: id + 100 }, now)).toBe(false);
      expect((await testEvaluations.histories(yard.own)).get(sk)).toEqual(flakyHistory);
      expect(await meters.read("acme")).toEqual(new Map());
    });

    it("continues without an upload that was given up, and counts it once for its organisation", async () => {
      const yard = await openWithTests();
      const [bad, good] = [await yard.record(yard.own), await yard.record(yard.own)];
      const other = await open();
      const uploads = await other.testEvaluations.unevaluated(9);
      const giveUp = ({ testEvaluations }: Store) => testEvaluations.giveUp({ kind: "upload", id: bad }, now);
      expect((await Promise.all([giveUp(yard.store), giveUp(other)])).toSorted()).toEqual([false, true]);
      expect(await other.testEvaluations.settle({ uploads, tests: new Map(), at: now })).toBe(false);
      const left = await yard.store.testEvaluations.unevaluated(9);
      expect(idsOf(left)).toEqual([good]);
      const [upload] = left;
      if (upload) expect(await yard.store.testEvaluations.beforeOnTree(upload, 9)).toEqual([]);
      expect(await yard.store.meters.read("acme")).toEqual(new Map([["test_evidence_given_up upload", 1]]));
      expect(await yard.store.meters.read("elsewhere")).toEqual(new Map());
    });

    it("forgets old data in batches, then the tests that have not run since", async () => {
      const yard = await openWithTests();
      const { testEvaluations, testResults, quarantines } = yard.store;
      for (let run = 0; run < 5; run++) await yard.record(yard.own, { at: now - 50 * day });
      await yard.record(yard.foreign, { at: now - 50 * day });
      await yard.settle();
      await quarantines.linkTicket(yard.own, "id-of-a", "https://tickets.example/1");
      await testResults.know(yard.foreign, [buildNamedTest("b")], now);
      await yard.record(yard.foreign);
      const before = now - 45 * day;
      expect(await testEvaluations.forget(now - 51 * day, 2)).toBe(0);
      const rounds = [];
      for (let gone = -1; gone !== 0 && rounds.length < 99; rounds.push(gone))
        gone = await testEvaluations.forget(before, 2);
      // The limit applies to each kind of row separately, so that no step takes long.
      expect(Math.max(...rounds)).toBeLessThanOrEqual(4 * 2);
      const names = async (repositoryId: number) =>
        Promise.all(
          ["a", "b"].map(async (name) => (await quarantines.find(repositoryId, `id-of-${name}`)) !== null),
        );
      expect(await names(yard.own)).toEqual([true, false]);
      expect(await names(yard.foreign)).toEqual([false, true]);
      expect(await yard.counts(yard.own, "a", 0)).toEqual({ runs: 0, failures: 0 });
      const span = { kind: "failing", from: 0, until: now + day } as const;
      const count = (repo: typeof testRepo) => yard.store.testReads.count(repo, span, null, now);
      expect(await count(testRepo)).toBe(0);
      expect(await count({ ...testRepo, owner: "Elsewhere" })).toBe(1);
      expect(idsOf(await testEvaluations.unevaluated(9))).toHaveLength(1);
    });
  });
}
