import { inBatches } from "../../engine/collections/in-batches.ts";
import { flipsBetween, flipWeight, type TreeOutcomes } from "../../flaky/detection/flips.ts";
import type { DetectionSettings } from "../../flaky/detection/settings.ts";
import type { NumberedResult, StoredUpload, TestEvaluationStore } from "../../ports/test-evaluation-store.ts";
import { nextTurn } from "../next-turn.ts";
import type { SharedPlaces } from "./shared-places.ts";

/** Uploads of one tree that a new one is compared with: more would make many re-runs costly, and say nothing new. */
const comparedUploads = 20;

/** Results to process before other work gets its turn. */
const atATime = 4_000;

/** Tests that passed and failed on one tree, and what that weighs for each. */
export interface TreeFlips {
  readonly tests: readonly number[];
  readonly weight: number;
}

/** What an upload shows by itself, and beside those before it on the same tree. */
export interface TreeEvidence {
  readonly flips: readonly TreeFlips[];
  /** The uploads that make up one run, if this is the last of them; none if others are still to come. */
  readonly run: readonly StoredUpload[];
}

/** Pauses regularly for other work: an upload may hold 200,000 results. */
export async function forEachResult(
  { results }: StoredUpload,
  look: (result: NumberedResult) => void,
): Promise<void> {
  for (const some of inBatches(results, atATime)) {
    for (const result of some) look(result);
    if (some.length === atATime) await nextTurn();
  }
}

/** The tests of which an attempt failed. */
export async function failuresOf(upload: StoredUpload): Promise<number[]> {
  const failing: number[] = [];
  await forEachResult(upload, ({ sk, first, last }) => {
    if (first === "failed" || last === "failed") failing.push(sk);
  });
  return failing;
}

/**
 * Compares an upload with others of its tree. Uploads of one run that have the same tests are legs of a matrix that do not say so: nothing
 * tells which leg of another run has to be compared with which, and a test has passed if it passed in all of them.
 */
export async function treeEvidenceOf(
  upload: StoredUpload,
  store: Pick<TestEvaluationStore, "beforeOnTree">,
  places: SharedPlaces,
  settings: DetectionSettings,
): Promise<TreeEvidence> {
  const before = await store.beforeOnTree(upload, comparedUploads);
  const isSameRun = (one: StoredUpload) => one.runId === upload.runId && one.runAttempt === upload.runAttempt;
  const siblings = await withSameTests(upload, before.filter(isSameRun));
  const run = [...siblings, upload];
  places.note(upload, run.length);
  const legs = places.uploadsOf(upload);
  const own = await flipsWithin(upload, settings);
  if (legs > 1) return { flips: own, run: run.length < legs ? [] : run };
  const others = before.filter((one) => !isSameRun(one));
  return { flips: [...own, ...(await flipsAgainst(upload, others, settings))], run };
}

async function flipsWithin(upload: StoredUpload, settings: DetectionSettings): Promise<readonly TreeFlips[]> {
  const tests: number[] = [];
  await forEachResult(upload, ({ sk, flipped }) => {
    if (flipped) tests.push(sk);
  });
  return tests.length > 0 ? [{ tests, weight: flipWeight(tests.length, settings) }] : [];
}

async function flipsAgainst(
  upload: StoredUpload,
  others: readonly StoredUpload[],
  settings: DetectionSettings,
): Promise<readonly TreeFlips[]> {
  const found: TreeFlips[] = [];
  for (const earlier of others) {
    const failed = new Set([...(await failuresOf(upload)), ...(await failuresOf(earlier))]);
    if (failed.size === 0) continue;
    const [now, then] = [await outcomesOf(upload, failed), await outcomesOf(earlier, failed)];
    const { tests, weight } = flipsBetween(now, then, settings);
    if (tests.length > 0) found.push({ tests: tests.map(Number), weight });
  }
  return found;
}

async function withSameTests(
  upload: StoredUpload,
  others: readonly StoredUpload[],
): Promise<readonly StoredUpload[]> {
  if (others.length === 0) return [];
  const tests = new Set<number>();
  await forEachResult(upload, ({ sk }) => tests.add(sk));
  const found: StoredUpload[] = [];
  for (const other of others) {
    let hasOne = false;
    await forEachResult(other, ({ sk }) => {
      hasOne ||= tests.has(sk);
    });
    if (hasOne) found.push(other);
  }
  return found;
}

/** Of the tests that failed in either of two uploads: all others passed in both. */
async function outcomesOf(upload: StoredUpload, tests: ReadonlySet<number>): Promise<TreeOutcomes> {
  const outcomes = new Map<string, "passed" | "failed">();
  await forEachResult(upload, ({ sk, last }) => {
    if (last !== "skipped" && tests.has(sk)) outcomes.set(String(sk), last);
  });
  return { isSuspect: upload.isSuspect, outcomes };
}
