import { flipsBetween, flipWeight, type TreeOutcomes } from "../../flaky/detection/flips.ts";
import { newHistory, type Observation, observe, type TestHistory } from "../../flaky/detection/history.ts";
import type { RunCount } from "../../flaky/detection/recovery.ts";
import type { DetectionSettings } from "../../flaky/detection/settings.ts";
import type { StoredUpload, TestEvaluationStore } from "../../ports/test-evaluation-store.ts";

/** Uploads of one tree that a new one is compared with: more would make many re-runs costly, and say nothing new. */
const comparedUploads = 20;

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
  const evidence = uploads.filter(({ isSuspect }) => !isSuspect);
  const known = await store.histories(first.repositoryId);
  const failing = new Set(evidence.flatMap((upload) => failuresOf(upload)));
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
    const watched = [];
    for (const { sk, first: outcome } of upload.results) {
      if (outcome === "skipped") continue;
      const count = counts.get(sk);
      if (count) counts.set(sk, counted(count, outcome === "failed"));
      if (outcome === "failed" || known.has(sk) || changed.has(sk)) watched.push({ sk, outcome });
    }
    for (const { tests, weight } of flips.get(upload) ?? [])
      for (const sk of tests) tell(sk, { kind: "flip", at, tree, weight });
    // A job that is run again runs on what is known to fail there.
    if (runAttempt > 1) continue;
    for (const { sk, outcome } of watched) tell(sk, { kind: "run", at, tree, branch, outcome });
  }
  return { changed, before: known };
}

const noRuns: RunCount = { runs: 0, failures: 0 };

function counted({ runs, failures }: RunCount, failed: boolean): RunCount {
  return { runs: runs + 1, failures: failures + (failed ? 1 : 0) };
}

function failuresOf({ results }: StoredUpload): number[] {
  const failing: number[] = [];
  for (const { sk, first, last } of results) if (first === "failed" || last === "failed") failing.push(sk);
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
  for (const { sk, flipped } of upload.results) if (flipped) within.push(sk);
  const found: TreeFlips[] = [{ tests: within, weight: flipWeight(within.length, settings) }];
  for (const earlier of await store.beforeOnTree(upload, comparedUploads)) {
    const failed = new Set([...failuresOf(upload), ...failuresOf(earlier)]);
    if (failed.size === 0) continue;
    const { tests, weight } = flipsBetween(outcomesOf(upload, failed), outcomesOf(earlier, failed), settings);
    found.push({ tests: tests.map(Number), weight });
  }
  return found.filter(({ tests }) => tests.length > 0);
}

/** Of the tests that failed in either of two uploads: all others passed in both. */
function outcomesOf({ results, isSuspect }: StoredUpload, tests: ReadonlySet<number>): TreeOutcomes {
  const outcomes = new Map<string, "passed" | "failed">();
  for (const { sk, last } of results) if (last !== "skipped" && tests.has(sk)) outcomes.set(String(sk), last);
  return { isSuspect, outcomes };
}
