import { describe, expect, it } from "@jest/globals";
import {
  buildNamedTest,
  buildResult,
  buildTestFailure,
  buildTestUpload,
  testRepo,
} from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const ascending = (one: number, other: number) => one - other;

export function testResultStoreContract(create: CreateDatabase): void {
  describe("the test result store", () => {
    const open = databaseForEachTest(create);

    async function openWithRepository() {
      const { testResults } = await open();
      return { testResults, repository: await testResults.addRepository(testRepo) };
    }

    it("finds a repository regardless of case, and keeps its first spelling", async () => {
      const { testResults, repository } = await openWithRepository();
      const again = { host: "GITHUB.com", owner: "acme", name: "widgets" };
      expect(repository).toMatchObject({ repo: testRepo, quarantining: true });
      expect(await testResults.addRepository(again)).toEqual(repository);
      expect(await testResults.repository(again)).toEqual(repository);
      expect(await testResults.repository({ ...again, name: "gadgets" })).toBeNull();
    });

    it("keeps an upload once when it is sent several times at the same time", async () => {
      const { testResults, repository } = await openWithRepository();
      await testResults.know(repository.id, [buildNamedTest("spins")], 1_000);
      const upload = buildTestUpload({
        results: [buildResult("spins", { last: "failed" })],
        failures: [buildTestFailure("spins"), buildTestFailure("spins", { attempt: 2 })],
      });
      const answers = await Promise.all([1, 2, 3].map(() => testResults.record(repository.id, upload)));
      expect(answers.map(({ isNew }) => isNew)).toEqual([true, false, false]);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    });

    it("rejects an upload with an unknown test completely", async () => {
      const { testResults, repository } = await openWithRepository();
      const upload = buildTestUpload({ results: [buildResult("unheard-of")] });
      await expect(testResults.record(repository.id, upload)).rejects.toThrow("id-of-unheard-of");
      expect(await testResults.recentFailures(repository.id, 9)).toEqual([]);
      const again = buildTestUpload({ ...upload, results: [] });
      expect((await testResults.record(repository.id, again)).isNew).toBe(true);
    });

    it("accepts more tests than fit into a statement, each once", async () => {
      const { testResults, repository } = await openWithRepository();
      const names = Array.from({ length: 1_300 }, (_, at) => `test-${at}`);
      const tests = names.map(buildNamedTest);
      await testResults.know(repository.id, tests, 1_000);
      await testResults.know(repository.id, [...tests, ...tests], 100_000_000);
      const upload = buildTestUpload({ results: names.map((name) => buildResult(name)) });
      expect((await testResults.record(repository.id, upload)).isNew).toBe(true);
    });

    it("loses none of many new tests when it is closed before their rows are inserted", async () => {
      const { testResults, repository } = await openWithRepository();
      const names = Array.from({ length: 1_300 }, (_, at) => `test-${at}`);
      const owned = {
        ...buildNamedTest("owned"),
        file: "a.ts",
        variant: "linux",
        owners: ["@acme/a", "@acme/b"],
      };
      const tests = [...names.map(buildNamedTest), owned];
      const numbers = await testResults.know(repository.id, tests, 1_000);
      const upload = buildTestUpload({
        results: [buildResult("owned", { last: "failed" }), ...names.map((name) => buildResult(name))],
        failures: [buildTestFailure("owned")],
      });
      await testResults.record(repository.id, upload);

      const after = await open();
      const again = await after.testResults.know(repository.id, tests, 1_000);
      for (const { id } of tests) expect(again.get(id)).toBe(numbers.get(id));
      const [evaluated] = await after.testEvaluations.unevaluated(20);
      expect([...(evaluated?.results ?? [])].map(({ sk }) => sk).toSorted(ascending)).toEqual(
        tests.map(({ id }) => again.get(id) ?? 0).toSorted(ascending),
      );
      const found = await after.quarantines.find(repository.id, owned.id);
      const { id, name, file, variant, owners } = owned;
      expect(found).toMatchObject({ sk: again.get(id), id, name, file, variant, owners });
    });

    it("gives each of many new tests one number when several callers add them at the same time", async () => {
      const { testResults, repository } = await openWithRepository();
      const another = await open();
      const tests = Array.from({ length: 1_500 }, (_, at) => buildNamedTest(`test-${at}`));
      const answers = await Promise.all([
        testResults.know(repository.id, tests, 1_000),
        another.testResults.know(repository.id, tests.slice(200), 1_000),
        testResults.know(repository.id, tests.slice(0, 300), 1_000),
        another.testResults.know(repository.id, tests.slice(0, 1_100), 1_000),
      ]);
      for (const { id } of tests) {
        const given = new Set(answers.flatMap((numbers) => numbers.get(id) ?? []));
        expect([id, given.size]).toEqual([id, 1]);
      }
    });

    it("finds a new test among many as soon as it is known", async () => {
      const { quarantines, testReads, testResults } = await open();
      const { id } = await testResults.addRepository(testRepo);
      const tests = Array.from({ length: 1_500 }, (_, at) => buildNamedTest(`test-${at}`));
      await testResults.know(id, tests, 1_000);
      expect(
        await quarantines.linkTicket(id, "id-of-test-7", "https://github.com/acme/widgets/issues/7"),
      ).toBe(true);
      expect(await testReads.details(testRepo, "id-of-test-7", 2_000)).toMatchObject({ name: "test-7" });
    });

    it("returns the failure counts of the last uploads with failures, except suspect ones, the newest first", async () => {
      const { testResults, repository } = await openWithRepository();
      await testResults.know(repository.id, ["a", "b"].map(buildNamedTest), 1_000);
      const failing = (...names: string[]) => names.map((name) => buildResult(name, { last: "failed" }));
      const record = (more: Parameters<typeof buildTestUpload>[0]) =>
        testResults.record(repository.id, buildTestUpload(more));
      await record({ results: failing("a") });
      await record({ results: [buildResult("a")] });
      await record({ results: failing("a", "b"), isSuspect: true });
      await record({ results: failing("a", "b") });
      const recent = (limit: number) => testResults.recentFailures(repository.id, limit);
      expect(await recent(9)).toEqual([2, 1]);
      expect(await recent(1)).toEqual([2]);
    });
  });
}
