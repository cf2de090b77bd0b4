import { inBatches } from "../../../engine/collections/in-batches.ts";
import { yieldToEventLoop } from "../../../service/workers/yield-to-event-loop.ts";
import { flipsBetween, flipWeight, type TreeOutcomes } from "../../detection/flips.ts";
import type { DetectionSettings } from "../../detection/settings.ts";
import type {
  JobPlace,
  SharedPlace,
  TestEvaluationStore,
} from "../../store/history/test-evaluation-store.ts";
import type { NumberedResult } from "../../store/packing/packed-results.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";

/** The maximum number of earlier uploads of the same tree to compare with. More would be slow and give no new information. */
const comparedUploads = 20;

/** The number of results to process before other work runs. */
const atATime = 4_000;

/** Tests that both passed and failed on one tree, and the weight of that for each. */
export interface TreeFlips {
  readonly tests: readonly number[];
  readonly weight: number;
}

/** The evidence of an upload itself, and in comparison with earlier uploads of the same tree. */
export interface TreeEvidence {
  readonly flips: readonly TreeFlips[];
  /** The uploads of one run, if this is the last of them; empty if others are still to come. */
  readonly run: readonly StoredUpload[];
}

/** Lets other work run regularly, because an upload may contain 200,000 results. */
export async function forEachResult(
  { results }: StoredUpload,
  look: (result: NumberedResult) => void,
): Promise<void> {
  for (const some of inBatches(results, atATime)) {
    for (const result of some) look(result);
    if (some.length === atATime) await yieldToEventLoop();
  }
}

/** The tests with a failed attempt. */
export async function failuresOf(upload: StoredUpload): Promise<number[]> {
  const failing: number[] = [];
  await forEachResult(upload, ({ sk, first, last }) => {
    if (first === "failed" || last === "failed") failing.push(sk);
  });
  return failing;
}

/**
 * Compares an upload with others of its tree. If several uploads of one run have the same tests, they are matrix legs that do not name
 * their variant. It is then unknown which legs of two runs correspond, so a test has passed only if it passed in all of them.
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

/** The outcomes of tests that failed in either of two uploads. All others passed in both. */
async function outcomesOf(upload: StoredUpload, tests: ReadonlySet<number>): Promise<TreeOutcomes> {
  const outcomes = new Map<string, "passed" | "failed">();
  await forEachResult(upload, ({ sk, last }) => {
    if (last !== "skipped" && tests.has(sk)) outcomes.set(String(sk), last);
  });
  return { isSuspect: upload.isSuspect, outcomes };
}

/** The shared places of a repository, including those found while uploads are evaluated. */
export class SharedPlaces {
  readonly #repositoryId: number;
  readonly #uploads = new Map<string, number>();
  readonly #found = new Map<string, SharedPlace>();

  constructor(repositoryId: number, known: readonly SharedPlace[]) {
    this.#repositoryId = repositoryId;
    for (const place of known) this.#uploads.set(keyOf(place), place.uploads);
  }

  /** The number of uploads of one run; 1 when matrix legs name their variant, or there is only one upload. */
  uploadsOf(place: JobPlace): number {
    return this.#uploads.get(keyOf(place)) ?? 1;
  }

  /** Records the number of uploads of one run. */
  note({ job, variant, step }: JobPlace, uploads: number): void {
    const place = { job, variant, step };
    if (uploads <= this.uploadsOf(place)) return;
    this.#uploads.set(keyOf(place), uploads);
    this.#found.set(keyOf(place), { ...place, uploads, repositoryId: this.#repositoryId });
  }

  found(): readonly SharedPlace[] {
    return [...this.#found.values()];
  }
}

function keyOf({ job, variant, step }: JobPlace): string {
  return JSON.stringify([job, variant, step]);
}
