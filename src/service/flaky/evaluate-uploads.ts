import { inBatches } from "../../engine/in-batches.ts";
import { flipsBetween, flipWeight, type TreeOutcomes } from "../../flaky/detection/flips.ts";
import { newHistory, type Observation, observe, type TestHistory } from "../../flaky/detection/history.ts";
import type { RunCount } from "../../flaky/detection/recovery.ts";
import type { DetectionSettings } from "../../flaky/detection/settings.ts";
import type { NumberedResult, StoredUpload, TestEvaluationStore } from "../../ports/test-evaluation-store.ts";
import type { TestBranchKind } from "../../ports/test-result-store.ts";
import { nextTurn } from "../next-turn.ts";

/** Uploads of one tree that a new one is compared with: more would make many re-runs costly, and say nothing new. */
const comparedUploads = 20;

/** Results to process before other work gets its turn. */
const atATime = 4_000;

type Reads = Pick<TestEvaluationStore, "beforeOnTree" | "histories" | "countRuns">;

/** Histories of tests by number, as uploads have changed them and as they were. */
export interface EvaluatedHistories {
  readonly changed: ReadonlyMap<number, TestHistory>;
  readonly before: ReadonlyMap<number, TestHistory>;
}

/** The histories that uploads of one repository change, gone through in the order in which they came. */
export async function evaluateUploads(
  uploads: readonly StoredUpload[],
  store: Reads,
  settings: DetectionSettings,
): Promise<EvaluatedHistories> {
  const [first] = uploads;
  if (!first) return { changed: new Map(), before: new Map() };
  const evidence = uploads.filter(isEvidence);
  const known = await store.histories(first.repositoryId);
  const failing = new Set<number>();
  for (const upload of evidence) for (const sk of await failuresOf(upload)) failing.add(sk);
  const flips = new Map<StoredUpload, readonly TreeFlips[]>();
  for (const upload of evidence) {
    const found = await flipsOf(upload, store, settings);
    flips.set(upload, found);
    for (const { tests } of found) for (const sk of tests) failing.add(sk);
  }
  const counts = new Map(await store.countRuns([...failing], first.at - settings.flips.window));
  const changed = new Map<number, TestHistory>();

  function tell(sk: number, observation: Observation): void {
    const before = changed.get(sk) ?? known.get(sk) ?? newHistory(observation.at);
    const countRuns = () => counts.get(sk) ?? noRuns;
    const after = observe(before, observation, { settings, countRuns });
    if (after !== before) changed.set(sk, after);
  }

  for (const upload of evidence) {
    const { at, treeSha: tree, kind: branch, runAttempt } = upload;
    const watched: { readonly sk: number; readonly outcome: "passed" | "failed" }[] = [];
    await forEachResult(upload, ({ sk, first: outcome }) => {
      if (outcome === "skipped") return;
      const count = counts.get(sk);
      if (count) counts.set(sk, counted(count, outcome === "failed"));
      if (outcome === "failed" || known.has(sk) || changed.has(sk)) watched.push({ sk, outcome });
    });
    for (const { tests, weight } of flips.get(upload) ?? [])
      for (const sk of tests) tell(sk, { kind: "flip", at, tree, weight });
    // A job that is run again runs on what is known to fail there.
    if (runAttempt > 1) continue;
    for (const { sk, outcome } of watched) tell(sk, { kind: "run", at, tree, branch, outcome });
  }
  return { changed, before: known };
}

function isEvidence<Upload extends StoredUpload>(
  upload: Upload,
): upload is Upload & { readonly kind: Exclude<TestBranchKind, "unknown"> } {
  return !upload.isSuspect && upload.kind !== "unknown";
}

const noRuns: RunCount = { runs: 0, failures: 0 };

function counted({ runs, failures }: RunCount, failed: boolean): RunCount {
  return { runs: runs + 1, failures: failures + (failed ? 1 : 0) };
}

/** Pauses regularly for other work: an upload may hold 200,000 results. */
async function forEachResult(
  { results }: StoredUpload,
  look: (result: NumberedResult) => void,
): Promise<void> {
  for (const some of inBatches(results, atATime)) {
    for (const result of some) look(result);
    if (some.length === atATime) await nextTurn();
  }
}

async function failuresOf(upload: StoredUpload): Promise<number[]> {
  const failing: number[] = [];
  await forEachResult(upload, ({ sk, first, last }) => {
    if (first === "failed" || last === "failed") failing.push(sk);
  });
  return failing;
}

interface TreeFlips {
  readonly tests: readonly number[];
  readonly weight: number;
}

/** What passed and failed in the upload itself, and between it and each before it on the same tree. */
async function flipsOf(
  upload: StoredUpload,
  store: Reads,
  settings: DetectionSettings,
): Promise<readonly TreeFlips[]> {
  const within: number[] = [];
  await forEachResult(upload, ({ sk, flipped }) => {
    if (flipped) within.push(sk);
  });
  const found: TreeFlips[] = [{ tests: within, weight: flipWeight(within.length, settings) }];
  for (const earlier of await store.beforeOnTree(upload, comparedUploads)) {
    const failed = new Set([...(await failuresOf(upload)), ...(await failuresOf(earlier))]);
    if (failed.size === 0) continue;
    const [now, then] = [await outcomesOf(upload, failed), await outcomesOf(earlier, failed)];
    const { tests, weight } = flipsBetween(now, then, settings);
    found.push({ tests: tests.map(Number), weight });
  }
  return found.filter(({ tests }) => tests.length > 0);
}

/** Of the tests that failed in either of two uploads: all others passed in both. */
async function outcomesOf(upload: StoredUpload, tests: ReadonlySet<number>): Promise<TreeOutcomes> {
  const outcomes = new Map<string, "passed" | "failed">();
  await forEachResult(upload, ({ sk, last }) => {
    if (last !== "skipped" && tests.has(sk)) outcomes.set(String(sk), last);
  });
  return { isSuspect: upload.isSuspect, outcomes };
}
