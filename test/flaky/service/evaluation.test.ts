import { afterEach, describe, expect, test } from "@jest/globals";
import { day, hour } from "../../../src/flaky/detection/settings.ts";
import { evaluateUploads } from "../../../src/flaky/service/evaluation/evaluate-uploads.ts";
import { TestSweeper } from "../../../src/flaky/service/evaluation/test-sweeper.ts";
import { UploadRenames } from "../../../src/flaky/service/evaluation/upload-renames.ts";
import type { NewTestUpload } from "../../../src/flaky/store/uploads/upload-records.ts";
import { detectionSettingsOf } from "../../../src/flaky/test-settings.ts";
import { generateHistory } from "../../../tools/simulator/flaky/generate-history.ts";
import { createInfrastructureFilter, createOurRule } from "../../../tools/simulator/flaky/our-rule.ts";
import { flakyWorlds } from "../../../tools/simulator/flaky/world.ts";
import { buildEvaluated, buildTestFailure } from "../../contract/build-test-upload.ts";
import { createSqliteFile } from "../../store/sqlite-file.ts";
import { TestYard } from "./test-yard.ts";

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function openYard(database?: string): Promise<TestYard> {
  const yard = await TestYard.open(database);
  opened.push(() => yard.store.close());
  return yard;
}

describe("an uploaded test", () => {
  test("is flaky if it passed and failed on one tree, and is quarantined with the reason for 30 days", async () => {
    const yard = await openYard();
    await yard.ran("T1", { turns: "F", spins: "P" });
    await yard.ran("T1", { turns: "P", spins: "P" }, { runAttempt: 2 });
    await yard.newEvaluator().evaluateAll();
    const turns = await yard.test("turns");
    expect(turns).toMatchObject({
      status: { status: "FLAKY", reason: { code: "FLIPPED_ON_ONE_TREE", tree: "T1", episodes: 1 } },
      isQuarantined: true,
      quarantine: { since: yard.now, expiresAt: yard.now + 30 * day },
    });
    expect(turns.quarantine?.reason).toBe("Passed and failed on the same tree T1 (1 episode)");
    expect(await yard.test("spins")).toMatchObject({ status: { status: "HEALTHY" }, isQuarantined: false });
    const held = await yard.store.testResults.quarantined(yard.repositoryId, [turns.id], yard.place());
    expect([...held.keys()]).toEqual([turns.id]);
  });

  const flippedIn = (yard: TestYard, pr: number, headSha = `head-${pr}`) =>
    yard.ran(`T${pr}`, { turns: "FP" }, { kind: "pr", pr, headSha });

  test("is not flaky by pull requests, until five with nothing in common have shown it", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    for (const pr of [1, 1, 2, 3, 4]) await flippedIn(yard, pr);
    await evaluator.evaluateAll();
    expect(await yard.test("turns")).toMatchObject({ status: { status: "HEALTHY" }, isQuarantined: false });
    await flippedIn(yard, 5);
    await evaluator.evaluateAll();
    expect(await yard.test("turns")).toMatchObject({ status: { status: "FLAKY" }, isQuarantined: true });
  });

  test("is not flaky by pull requests that share commits, or a tree, or whose commits are unknown", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    // A stack, of which #1 was rebased; #4 was opened again as #5; the others share trees with #6, or are unknown.
    yard.firstCommits = (head) => {
      if (head === "gone") throw new Error("not found");
      return { "head-1": ["old"], rebased: ["new"], "head-2": ["new"], "head-3": ["old"] }[head] ?? [head];
    };
    for (const [pr, head] of [[1], [1, "rebased"], [2], [3], [4], [5, "head-4"], [6]] as const)
      await flippedIn(yard, pr, head);
    await yard.ran("T6", { turns: "FP" }, { kind: "pr", pr: 7, headSha: "head-7" });
    for (const pr of [8, 9]) await flippedIn(yard, pr, "gone");
    await yard.ran("Q", { turns: "FP" }, { kind: "queue", branch: "trainyard-test/ended" });
    await evaluator.evaluateAll();
    expect(await yard.statusOf("turns")).toBe("HEALTHY");
    // After one call without an answer, no others are made for a while.
    expect(yard.warnings).toHaveLength(1);
    yard.now += 6 * 60_000;
    for (const pr of [10, 11]) await flippedIn(yard, pr);
    await evaluator.evaluateAll();
    expect(await yard.statusOf("turns")).toBe("FLAKY");
  });

  test("is not flaky by results of matrix legs that cannot be told apart, in one run or in two", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    const leg = (tree: string, turns: string, runId: string, runAttempt = 1) =>
      yard.ran(tree, { turns, spins: "P" }, { kind: "queue", runId, runAttempt });
    for (const turns of ["P", "F"]) await leg("T1", turns, "1");
    for (const turns of ["F", "P"]) await leg("T1", turns, "2");
    await leg("T1", "F", "2", 2);
    await evaluator.evaluateAll();
    expect(await yard.statusOf("turns")).toBe("HEALTHY");
  });

  test("is broken and not flaky if one of its matrix legs always fails on the stable branch", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    for (let run = 0; run < 6; run++) {
      for (const turns of run % 2 === 0 ? ["P", "F"] : ["F", "P"])
        await yard.ran(`T${run}`, { turns, spins: "P" }, { runId: `run-${run}` });
      await evaluator.evaluateAll();
    }
    expect(await yard.statusOf("turns")).toBe("BROKEN");
  });

  test("can be flaky on one branch and broken on another", async () => {
    const yard = await openYard();
    await yard.ran("M", { turns: "FP" });
    for (const tree of ["R1", "R2", "R3"])
      await yard.ran(tree, { turns: "F" }, { branch: "release", line: "release" });
    await yard.newEvaluator().evaluateAll();
    const { id } = await yard.test("turns");
    const forgiven = async (line: string) =>
      (await yard.store.testResults.quarantined(yard.repositoryId, [id], yard.place({ line }))).has(id);
    expect([await forgiven("main"), await forgiven("release")]).toEqual([true, false]);
  });

  test("is broken when it fails in every pull request, although no stable branch is tested", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    for (let run = 0; run < 20; run++) await yard.ran(`P${run}`, { turns: "P" }, { kind: "queue" });
    for (const pr of [1, 2, 3, 4, 5]) await flippedIn(yard, pr);
    await evaluator.evaluateAll();
    const { id } = await yard.test("turns");
    let forgiven = 0;
    for (let pr = 11; pr <= 20; pr++) {
      forgiven += (await yard.store.testResults.quarantined(yard.repositoryId, [id], yard.place())).size;
      await yard.ran(`B${pr}`, { turns: "F" }, { kind: "pr", pr });
      await evaluator.evaluateAll();
    }
    expect(await yard.test("turns")).toMatchObject({
      status: { status: "BROKEN", reason: { code: "FAILS_EVERYWHERE" } },
      isQuarantined: false,
    });
    expect(forgiven).toBeLessThanOrEqual(3);
  });

  test.each<[what: string, tree: string, more: Partial<NewTestUpload>]>([
    ["on another tree", "T2", {}],
    ["of another job", "T1", { job: "other" }],
    ["in another variant", "T1", { variant: "windows" }],
    ["of a job of the same name in another workflow", "T1", { workflow: "Nightly" }],
    ["of an upload that is suspect", "T1", { isSuspect: true }],
    ["of an upload whose kind is unknown", "T1", { kind: "unknown" }],
  ])("is not flaky by a failure and a pass %s", async (_what, tree, more) => {
    const yard = await openYard();
    await yard.ran("T1", { turns: "F" }, { kind: "pr" });
    await yard.ran(tree, { turns: "P" }, { kind: "pr", ...more });
    await yard.newEvaluator().evaluateAll();
    expect(await yard.statusOf("turns")).toBe("HEALTHY");
  });

  test("is flaky by one report of a retry, or by failing now and then on a stable branch", async () => {
    const yard = await openYard();
    await yard.ran("T0", { retried: "FP", rare: "P" });
    let tree = 0;
    const runs = async (letters: string) => {
      for (const letter of letters) {
        tree += 1;
        await yard.ran(`S${tree}`, { rare: letter });
      }
    };
    await runs("PPPPPFPPPPPPPPPPFPPPPPPPPPP");
    await yard.newEvaluator().evaluateAll();
    expect(await yard.statusOf("retried")).toBe("FLAKY");
    expect(await yard.statusOf("rare")).toBe("HEALTHY");
    await runs("F");
    await yard.newEvaluator().evaluateAll();
    expect((await yard.test("rare")).status).toMatchObject({
      status: "FLAKY",
      reason: { code: "FAILS_NOW_AND_THEN", streaks: 3 },
    });
  });

  test("is broken when it fails every time, and is not forgiven until it passes", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    await yard.ran("T1", { turns: "FP" });
    for (const tree of ["T2", "T3", "T4"]) await yard.ran(tree, { turns: "F" });
    await evaluator.evaluateAll();
    expect(await yard.test("turns")).toMatchObject({ status: { status: "BROKEN" }, isQuarantined: false });
    await yard.ran("T5", { turns: "P" });
    await evaluator.evaluateAll();
    expect(await yard.test("turns")).toMatchObject({ status: { status: "FLAKY" }, isQuarantined: true });
    expect((await yard.history("turns"))?.changes.map(({ reason }) => reason.code)).toEqual([
      "NOTHING_KNOWN",
      "FLIPPED_ON_ONE_TREE",
      "FAILS_EACH_TIME",
      "PASSED_AGAIN",
    ]);
  });

  test("is healthy again after enough clean runs and a day, and no longer quarantined", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    await yard.ran("T1", { turns: "FP" });
    for (let run = 0; run < 30; run++) await yard.ran(`U${run}`, { turns: "P" });
    await evaluator.evaluateAll();
    expect(await yard.statusOf("turns")).toBe("FLAKY");
    yard.now += day;
    await yard.ran("V", { turns: "P" });
    await evaluator.evaluateAll();
    expect(await yard.test("turns")).toMatchObject({
      status: { status: "HEALTHY", reason: { code: "RECOVERED" } },
      isQuarantined: false,
      quarantine: null,
    });
  });

  test("is counted once, without skipped runs and suspect uploads", async () => {
    const yard = await openYard();
    await yard.ran("T1", { turns: "F", spins: "P", waits: "S" });
    await yard.ran("T2", { turns: "P", spins: "P", waits: "S" }, { kind: "pr" });
    await yard.ran("T3", { turns: "F", spins: "F", waits: "F" }, { isSuspect: true });
    await Promise.all([yard.newEvaluator().evaluateAll(), yard.newEvaluator().evaluateAll()]);
    await yard.newEvaluator().evaluateAll();
    expect(await yard.counts("turns")).toEqual({ runs: 2, failures: 1 });
    expect(await yard.counts("spins")).toEqual({ runs: 2, failures: 0 });
    expect(await yard.counts("waits")).toEqual({ runs: 0, failures: 0 });
  });

  test("gets the same history wherever its evaluation stops and starts again, even in another process", async () => {
    const file = await createSqliteFile();
    opened.push(() => file.remove());
    const [whole, halted] = [await openYard(), await openYard(file.path)];
    const letters = "FPPFPPPPFPFFFPPPPPPPPFPPFPPPPPPPPPPP";
    for (const yard of [whole, halted])
      for (const [at, letter] of [...letters].entries()) {
        await yard.ran(
          `T${Math.floor(at / 2)}`,
          { turns: letter, spins: "P" },
          at % 3 === 0 ? {} : { kind: "pr" },
        );
        if (yard === whole || at % 5 !== 0) continue;
        const other = await TestYard.open(file.path);
        other.now = yard.now;
        await Promise.all([other.newEvaluator().evaluateAll(), yard.newEvaluator().evaluateAll()]);
        await other.store.close();
      }
    for (const yard of [whole, halted]) await yard.newEvaluator().evaluateAll();
    expect(await halted.history("turns")).toEqual(await whole.history("turns"));
    expect(await halted.counts("turns")).toEqual(await whole.counts("turns"));
    expect(await halted.history("turns")).toBeDefined();
  });

  test("is flaky exactly when the simulation finds it flaky in a generated history", async () => {
    const world = { ...flakyWorlds["everything, few re-runs"], tests: 150, days: 4, pullRequests: 14 };
    const { uploads, names } = generateHistory({ ...world, flaky: 0.06, renames: 0 }, 4_711);
    const rule = createOurRule(names);
    const isKept = createInfrastructureFilter(names);
    const yard = await openYard();
    const began = yard.now;
    for (const upload of uploads) {
      await rule.see(upload);
      const messages = new Map(upload.failed.map(({ test, message }) => [test, message]));
      const letters = Array.from({ length: names }, (_, at) => [`test-${at}`, messages.has(at) ? "F" : "P"]);
      const { kind, branch, line, pr, tree, runId, attempt: runAttempt } = upload;
      await yard.ran(tree, Object.fromEntries(letters), {
        ...{ kind, branch, line, runId, runAttempt },
        at: began + upload.at,
        pr: kind === "pr" ? pr : null,
        isSuspect: !isKept(upload),
        failures: [...messages].map(([at, id]) =>
          buildTestFailure(`test-${at}`, { fingerprint: { id, version: 1, summary: id } }),
        ),
      });
    }
    await yard.newEvaluator().evaluateAll();
    const found = [];
    for (let at = 0; at < names; at++) {
      const history = await yard.history(`test-${at}`);
      if (history?.changes.some(({ status }) => status === "FLAKY")) found.push(at);
    }
    expect(rule.flagged.size).toBeGreaterThan(2);
    expect(found).toEqual([...rule.flagged.keys()].sort((a, b) => a - b));
  });
});

test("the settings of a repository decide when a test is flaky, broken and recovered", async () => {
  const yard = await openYard();
  const evaluator = yard.newEvaluator();
  const settings = { flakyEpisodes: 2, brokenFailures: 5, recoveryRuns: 30, recoveryHours: 1 };
  await yard.store.testSettings.change(yard.repositoryId, settings);
  const statusAfter = async (tree: string, turns: string) => {
    await yard.ran(tree, { turns });
    await evaluator.evaluateAll();
    return await yard.statusOf("turns");
  };
  expect(await statusAfter("T1", "FP")).toBe("HEALTHY");
  yard.now += 2 * hour;
  expect(await statusAfter("T2", "FP")).toBe("FLAKY");
  for (let run = 0; run < 29; run++) expect(await statusAfter(`P${run}`, "P")).toBe("FLAKY");
  expect(await statusAfter("P30", "P")).toBe("HEALTHY");
  for (let run = 0; run < 4; run++) expect(await statusAfter(`F${run}`, "F")).toBe("HEALTHY");
  expect(await statusAfter("F5", "F")).toBe("BROKEN");
});

describe("automatic quarantine", () => {
  test("keeps to its budget, prefers tests that fail most often, and warns that there is no room", async () => {
    const yard = await openYard();
    for (let run = 0; run < 12; run++)
      await yard.ran(`T${run}`, {
        seldom: run === 0 ? "FP" : "P",
        often: run % 2 === 1 ? "FP" : "P",
        sometimes: run % 4 === 3 ? "FP" : "P",
      });
    const budget = { quarantineMaxTests: 2, quarantineMaxShare: 0 };
    await yard.store.testSettings.change(yard.repositoryId, budget);
    await yard.newEvaluator().evaluateAll();
    const quarantined = async (name: string) => (await yard.test(name)).isQuarantined;
    expect(await yard.statusOf("seldom")).toBe("FLAKY");
    expect([await quarantined("often"), await quarantined("sometimes"), await quarantined("seldom")]).toEqual(
      [true, true, false],
    );
    expect(yard.warnings).toEqual(["flaky tests are found and not quarantined: too many are"]);
  });

  test("starts although the process that found the test flaky was killed before it decided", async () => {
    const yard = await openYard();
    await yard.ran("T1", { turns: "FP" });
    const { testEvaluations, testSettings } = yard.store;
    const uploads = await testEvaluations.unevaluated(20);
    const { settings } = await testSettings.rules(yard.repositoryId);
    const { changed } = await evaluateUploads(
      uploads,
      testEvaluations,
      detectionSettingsOf(settings),
      new UploadRenames(testEvaluations.renames),
      async () => [],
    );
    await testEvaluations.settle({ uploads, tests: buildEvaluated(changed), at: yard.now });
    expect(await yard.test("turns")).toMatchObject({ status: { status: "FLAKY" }, isQuarantined: false });
    await yard.newEvaluator().evaluateAll();
    expect((await yard.test("turns")).isQuarantined).toBe(true);
    expect(await yard.store.quarantines.due(yard.now)).toEqual([]);
  });

  test("ends after its time, and does not start again without new evidence", async () => {
    const yard = await openYard();
    const evaluator = yard.newEvaluator();
    await yard.ran("T1", { turns: "FP" });
    await evaluator.evaluateAll();
    const { id } = await yard.test("turns");
    yard.now += 30 * day;
    expect((await yard.store.testResults.quarantined(yard.repositoryId, [id], yard.place())).size).toBe(0);
    await evaluator.evaluateAll();
    expect(await yard.test("turns")).toMatchObject({ isQuarantined: false, status: { status: "FLAKY" } });
    await yard.ran("T2", { turns: "P", spins: "FP" });
    await evaluator.evaluateAll();
    expect((await yard.test("turns")).isQuarantined).toBe(false);
    expect(await yard.store.quarantines.due(yard.now)).toEqual([]);
  });

  test.each([
    ["passes and fails on one tree", ["FP"], true],
    ["fails again on a stable branch, as it did before", ["F"], true],
    ["fails in a pull request, which may be at fault", ["F"], false, { kind: "pr", pr: 7 } as const],
    ["breaks and is fixed", ["F", "F", "F", "P"], false, {}, "FP"],
  ])(
    "that has expired for a test that then %s (%j) starts again: %s",
    async (_what, then, isRenewed, more = {}, first = "") => {
      const yard = await openYard();
      const evaluator = yard.newEvaluator();
      const run = async (letters: string, kind: Parameters<TestYard["ran"]>[2] = {}) =>
        await yard.ran(`T${yard.now}`, { turns: letters }, kind);
      for (const letters of first ? [first] : [..."FPFPFP"]) await run(letters);
      await evaluator.evaluateAll();
      const { quarantine } = await yard.test("turns");
      yard.now += 30 * day;
      await evaluator.evaluateAll();
      expect(await yard.test("turns")).toMatchObject({ isQuarantined: false, quarantine });
      for (const letters of then) await run(letters, more);
      await evaluator.evaluateAll();
      const after = await yard.test("turns");
      expect(after).toMatchObject({ isQuarantined: isRenewed, status: { status: "FLAKY" } });
      expect(after.quarantine).toEqual(
        isRenewed ? { ...quarantine, since: yard.now, expiresAt: yard.now + 30 * day } : quarantine,
      );
      // It expires once more, and there is no new evidence.
      yard.now += 31 * day;
      await evaluator.evaluateAll();
      expect((await yard.test("turns")).isQuarantined).toBe(false);
    },
  );
});

test("old results are deleted together with their tests, except for quarantined tests", async () => {
  const yard = await openYard();
  await yard.ran("T1", { turns: "FP", spins: "P" });
  await yard.ran("T2", { stops: "F" });
  await yard.newEvaluator().evaluateAll();
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const sweep = () => new TestSweeper({ ...yard.context, log }).sweep();
  yard.now += 45 * day - hour;
  await sweep();
  expect(await yard.statusOf("spins")).toBe("HEALTHY");
  yard.now += 2 * day;
  await sweep();
  await expect(yard.test("spins")).rejects.toThrow("no test spins");
  await expect(yard.test("stops")).rejects.toThrow("no test stops");
  expect(await yard.counts("turns")).toEqual({ runs: 0, failures: 0 });
  expect(await yard.store.testResults.recentFailures(yard.repositoryId, 9)).toEqual([]);
});
