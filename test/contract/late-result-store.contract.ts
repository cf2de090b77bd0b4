import { describe, expect, it } from "@jest/globals";
import { day } from "../../src/flaky/detection/settings.ts";
import type { NumberedResult } from "../../src/flaky/store/packing/packed-results.ts";
import type { NewTestUpload } from "../../src/flaky/store/uploads/upload-records.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import {
  buildNamedTest,
  buildResult,
  buildTestFailure,
  buildTestUpload,
  testRepo,
} from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const now = 400 * day;
const headSha = "e".repeat(40);
const reports = [
  { encoding: "gzip", content: new Uint8Array([1, 2]) },
  { encoding: "text", content: new Uint8Array([3]) },
] as const;

export function lateResultStoreContract(create: CreateDatabase): void {
  describe("the store of late results", () => {
    const open = databaseForEachTest(create);

    /**
     * Opens a store with an upload of `fails`, which is recorded, and of `passes` and `waits`, which are not.
     */
    async function openWithUpload() {
      const store = await open();
      const { id: own } = await store.testResults.addRepository(testRepo);
      const { id: foreign } = await store.testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
      await store.testResults.know(own, [buildNamedTest("fails")], now);
      const upload = buildTestUpload({
        ...{ at: now, headSha, variant: "linux", cases: 3, verdict: "failed", isGreen: false },
        results: [buildResult("fails", { last: "failed" })],
        failures: [buildTestFailure("fails")],
        late: { passed: 2, reports },
      });
      const { id } = await store.testResults.record(own, upload);
      return { store, own, foreign, upload, id };
    }

    const record = async (store: Store, repositoryId: number, more: Partial<NewTestUpload> = {}) =>
      (await store.testResults.record(repositoryId, buildTestUpload({ at: now, ...more }))).id;
    const unevaluated = async (store: Store) =>
      (await store.testEvaluations.unevaluated(99)).map(({ id }) => id);

    async function passes(
      store: Store,
      repositoryId: number,
      ...names: readonly string[]
    ): Promise<NumberedResult[]> {
      const numbers = await store.testResults.know(repositoryId, names.map(buildNamedTest), now);
      return names.map((name) => {
        const sk = numbers.get(`id-of-${name}`) ?? Number.NaN;
        return { sk, first: "passed", last: "passed", flipped: false, durationMs: 4 };
      });
    }

    it("returns the reports of an upload in their order, with the data to parse them", async () => {
      const { store, id } = await openWithUpload();
      expect(await store.lateResults.incomplete()).toEqual([id]);
      const facts = { id, repo: testRepo, at: now, variant: "linux", cases: 3 };
      expect(await store.lateResults.find(id)).toEqual({ ...facts, reports });
    });

    it("makes the failures visible at once", async () => {
      const { store } = await openWithUpload();
      const [report] = await store.testReads.reportsOn(testRepo, headSha, now);
      expect(report).toMatchObject({ verdict: "failed", failedCount: 1, failed: [{ name: "fails" }] });
    });

    it("blocks the evaluation of an upload and later ones of its repository until it is complete", async () => {
      const { store, own, foreign, id } = await openWithUpload();
      const [later, theirs] = [await record(store, own), await record(store, foreign)];
      expect(await unevaluated(store)).toEqual([theirs]);
      await store.lateResults.complete(id, await passes(store, own, "passes", "waits"));
      expect(await unevaluated(store)).toEqual([id, later, theirs]);
    });

    it("adds results once, and keeps the existing ones", async () => {
      const { store, own, id } = await openWithUpload();
      const all = await passes(store, own, "fails", "passes", "waits", "waits");
      await store.lateResults.complete(id, all);
      await store.lateResults.complete(id, []);
      const [upload] = await store.testEvaluations.unevaluated(9);
      const found = new Map([...(upload?.results ?? [])].map(({ sk, last }) => [sk, last]));
      expect([...found.values()].toSorted()).toEqual(["failed", "passed", "passed"]);
      const { runs } = await store.testReads.recentFailures(testRepo, now);
      expect(runs.map(({ testsMs }) => testsMs)).toEqual([7 + 4 + 4]);
      expect(await store.lateResults.incomplete()).toEqual([]);
      expect(await store.lateResults.find(id)).toBeNull();
    });

    it("keeps no reports of an upload that is repeated", async () => {
      const { store, own, upload, id } = await openWithUpload();
      await store.lateResults.complete(id, await passes(store, own, "passes", "waits"));
      expect(await store.testResults.record(own, upload)).toEqual({ id, isNew: false });
      expect(await store.lateResults.incomplete()).toEqual([]);
    });

    it("deletes the reports when the upload is given up or expires", async () => {
      const { store, own, id } = await openWithUpload();
      await store.testEvaluations.giveUp({ kind: "upload", id }, now);
      expect(await store.lateResults.incomplete()).toEqual([]);
      const old = await record(store, own, { at: now - 50 * day, late: { passed: 1, reports } });
      expect(await store.lateResults.incomplete()).toEqual([old]);
      await store.testEvaluations.forget(now - 45 * day, 9);
      expect(await store.lateResults.incomplete()).toEqual([]);
    });
  });
}
