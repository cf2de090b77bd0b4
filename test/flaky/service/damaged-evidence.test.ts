import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { evidenceGivenUpCount } from "../../../src/flaky/unreadable-evidence.ts";
import { buildNamedTest, buildResult, buildTestUpload, testRepo } from "../../contract/build-test-upload.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";
import { TestYard } from "./test-yard.ts";

let file: SqliteFile;
let yard: TestYard;
beforeEach(async () => {
  file = await createSqliteFile();
  yard = await TestYard.open(file.path);
});
afterEach(async () => {
  await yard.store.close();
  await file.remove();
});

function damage(statement: string, ...parameters: SQLInputValue[]): void {
  const database = new DatabaseSync(file.path);
  database.prepare(statement).run(...parameters);
  database.close();
}

function read(statement: string, ...parameters: SQLInputValue[]): unknown {
  const database = new DatabaseSync(file.path);
  const row = database.prepare(statement).get(...parameters);
  database.close();
  return row;
}

const left = async () => (await yard.store.testEvaluations.unevaluated(99)).length;
const givenUp = async (kind: "upload" | "history" | "counts") =>
  evidenceGivenUpCount(await yard.store.meters.read(testRepo.owner), kind);

describe("an upload whose results cannot be read", () => {
  test.each<[string, string, SQLInputValue[]]>([
    ["are cut off", "results = substr(results, 1, length(results) - 1)", []],
    ["are empty", "results = x''", []],
    ["are not bytes", "results = 'results'", []],
    ["are noise", "results = ?", [new Uint8Array(64).fill(0xff)]],
    ["are those of another upload", "results = (select results from test_uploads order by id limit 1)", []],
  ])("is given up when they %s, and the others are evaluated", async (_case, change, parameters) => {
    await yard.ran("T1", { turns: "FP" });
    const bad = await yard.ran("T1", { turns: "P", spins: "FP", waits: "F" });
    await yard.ran("T2", { stops: "FP" });
    const other = await yard.store.testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
    await yard.store.testResults.know(other.id, [buildNamedTest("theirs")], yard.now);
    await yard.store.testResults.record(other.id, buildTestUpload({ results: [buildResult("theirs")] }));
    damage(`update test_uploads set ${change} where id = ?`, ...parameters, bad);
    const evaluator = yard.newEvaluator();
    await evaluator.evaluateAll();
    expect(await left()).toBe(0);
    expect([await yard.statusOf("turns"), await yard.statusOf("stops")]).toEqual(["FLAKY", "FLAKY"]);
    expect(await yard.statusOf("spins")).toBe("HEALTHY");
    expect(await yard.counts("turns")).toEqual({ runs: 1, failures: 1 });
    expect(yard.errors).toEqual([
      { err: expect.any(Error), evidence: { kind: "upload", id: bad }, code: "EVIDENCE_UNREADABLE" },
    ]);
    expect(read("select given_up, evaluated_at from test_uploads where id = ?", bad)).toEqual({
      given_up: "RESULTS_UNREADABLE",
      evaluated_at: yard.now,
    });
    expect([await givenUp("upload"), await givenUp("history")]).toEqual([1, 0]);
    await yard.ran("T1", { turns: "P" });
    await evaluator.evaluateAll();
    expect(yard.errors).toHaveLength(1);
    expect(await left()).toBe(0);
  });

  test("is given up when it was evaluated before, and others are compared with it", async () => {
    const bad = await yard.ran("T1", { turns: "F" });
    const good = await yard.ran("T1", { turns: "F", spins: "P" }, { runAttempt: 2 });
    const evaluator = yard.newEvaluator();
    await evaluator.evaluateAll();
    damage("update test_uploads set results = x'80' where id = ?", bad);
    await yard.ran("T1", { turns: "P" }, { runAttempt: 3 });
    await evaluator.evaluateAll();
    expect(await yard.statusOf("turns")).toBe("FLAKY");
    expect(yard.errors).toMatchObject([{ evidence: { kind: "upload", id: bad } }]);
    expect(read("select given_up from test_uploads where id = ?", good)).toEqual({ given_up: null });
    expect(await givenUp("upload")).toBe(1);
  });
});

describe("a history that cannot be read", () => {
  test.each([
    ["is not JSON", `history = '{"changes":'`],
    ["is incomplete", `history = '{"changes":[]}'`],
    ["is not text", "history = x'00'"],
  ])("is started again when it %s, and the uploads are evaluated", async (_case, change) => {
    await yard.ran("T1", { turns: "FP", spins: "FP" });
    const evaluator = yard.newEvaluator();
    await evaluator.evaluateAll();
    const { sk } = await yard.test("turns");
    damage(`update test_cases set ${change} where sk = ?`, sk);
    await yard.ran("T2", { turns: "P", spins: "P", stops: "FP" });
    await evaluator.evaluateAll();
    expect(await left()).toBe(0);
    expect(await yard.test("turns")).toMatchObject({
      status: { status: "HEALTHY", reason: { code: "NOTHING_KNOWN" } },
      isQuarantined: false,
    });
    expect([await yard.statusOf("spins"), await yard.statusOf("stops")]).toEqual(["FLAKY", "FLAKY"]);
    expect(yard.errors).toMatchObject([{ evidence: { kind: "history", sk }, code: "EVIDENCE_UNREADABLE" }]);
    expect([await givenUp("upload"), await givenUp("history")]).toEqual([0, 1]);
    await yard.ran("T3", { turns: "FP" });
    await evaluator.evaluateAll();
    expect(await yard.statusOf("turns")).toBe("FLAKY");
  });
});

describe("counts of a day that cannot be read", () => {
  test.each([
    ["were cut off", "counts = substr(counts, 1, 7)"],
    ["are empty", "counts = x''"],
    ["are not bytes", "counts = 'counts'"],
  ])("are started again when they %s, and the uploads are evaluated", async (_case, change) => {
    await yard.ran("T1", { turns: "F" });
    const evaluator = yard.newEvaluator();
    await evaluator.evaluateAll();
    damage(`update test_days set ${change}`);
    await yard.ran("T1", { turns: "P", spins: "P" }, { runAttempt: 2 });
    await evaluator.evaluateAll();
    expect(await left()).toBe(0);
    expect(await yard.statusOf("turns")).toBe("FLAKY");
    expect(await yard.counts("turns")).toEqual({ runs: 1, failures: 0 });
    expect(yard.errors).toMatchObject([
      { evidence: { kind: "counts", branch: "stable" }, code: "EVIDENCE_UNREADABLE" },
    ]);
    expect(await givenUp("counts")).toBe(1);
  });
});

describe("an evaluator that is stopped", () => {
  test("finishes the uploads under way, and the next one does the rest", async () => {
    for (let run = 0; run < 50; run++) await yard.ran(`T${run}`, { turns: run % 2 === 0 ? "F" : "P" });
    const stopped: Promise<void>[] = [];
    const evaluator = yard.newEvaluator(() => stopped.push(evaluator.stop()));
    evaluator.start();
    await new Promise<void>((resolve) => {
      const look = () => (stopped[0] ? resolve(stopped[0]) : setTimeout(look, 5));
      look();
    });
    expect(stopped).toHaveLength(1);
    expect(await left()).toBe(30);
    await yard.newEvaluator().evaluateAll();
    expect(await left()).toBe(0);
    expect(await yard.counts("turns")).toEqual({ runs: 50, failures: 25 });
  });

  test("continues when it is started again", async () => {
    for (let run = 0; run < 25; run++) await yard.ran(`T${run}`, { turns: "P" });
    let batches = 0;
    const evaluator = yard.newEvaluator(() => {
      batches += 1;
      if (batches === 1) void evaluator.stop().then(() => evaluator.start());
    });
    evaluator.start();
    while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await evaluator.stop();
    expect(batches).toBe(2);
    expect(yard.errors).toEqual([]);
  });
});

test("a repository whose quarantines cannot be decided is logged, and does not block other repositories", async () => {
  const other = await yard.store.testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
  await yard.ran("T1", { turns: "FP" });
  await yard.newEvaluator().evaluateAll();
  damage("update test_cases set status_reason = 'damaged', quarantine_expires_at = 0");
  await yard.store.testResults.know(other.id, [buildNamedTest("theirs")], yard.now);
  const results = [buildResult("theirs", { first: "failed", last: "passed", flipped: true })];
  await yard.store.testResults.record(other.id, buildTestUpload({ at: yard.now, results }));
  damage(
    "update test_cases set quarantined = 1, quarantine_expires_at = 0 where repo_id = ?",
    yard.repositoryId,
  );
  await yard.newEvaluator().evaluateAll();
  expect(await yard.store.quarantines.find(other.id, "id-of-theirs")).toMatchObject({ isQuarantined: true });
  const { repositoryId } = yard;
  expect(yard.errors).toContainEqual({
    ...{ err: expect.any(Error), repositoryId, code: "QUARANTINES_NOT_PLANNED" },
  });
});
