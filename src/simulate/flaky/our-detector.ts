import { flipsBetween, type TreeOutcomes } from "../../flaky/detection/flips.ts";
import { newHistory, type Observation, observe, type TestHistory } from "../../flaky/detection/history.ts";
import { isSuspect, rememberedUploads } from "../../flaky/detection/infrastructure.ts";
import { defaultDetectionSettings as settings } from "../../flaky/detection/settings.ts";
import type { FlakyDetector } from "./detector.ts";
import type { SimulatedUpload } from "./upload.ts";

interface Tracked {
  history: TestHistory;
  failures: number;
}

/** The product's own rules over a made-up history: `flaky/detection`, fed as the service feeds it. */
export function createOurDetector(tests: number): FlakyDetector {
  const flagged = new Map<number, number>();
  const tracked = new Map<number, Tracked>();
  const byTree = new Map<number, SimulatedUpload[]>();
  const isKept = createInfrastructureFilter(tests);
  let runs = 0;

  function see(upload: SimulatedUpload): void {
    if (!isKept(upload)) return;
    runs += 1;
    for (const earlier of byTree.get(upload.tree) ?? []) {
      const { tests: flipped, weight } = flipsBetween(...outcomesOf(earlier, upload), settings);
      for (const id of flipped) {
        tell(Number(id), { kind: "flip", at: upload.at, tree: String(upload.tree), weight }, true);
      }
    }
    byTree.set(upload.tree, [...(byTree.get(upload.tree) ?? []), upload]);
    if (upload.attempt > 1) return;
    const { at, branch } = upload;
    const tree = String(upload.tree);
    const failed = new Set(upload.failed);
    for (const test of failed)
      tell(test, { kind: "run", at, tree, branch, outcome: "failed" }, branch !== "pr");
    const passed: Observation = { kind: "run", at, tree, branch, outcome: "passed" };
    for (const [test, one] of tracked)
      if (!failed.has(test)) one.history = observe(one.history, passed, contextOf(one));
  }

  function tell(test: number, observation: Observation, isEvidence: boolean): void {
    const one = tracked.get(test) ?? { history: newHistory(0), failures: 0 };
    if (isEvidence) one.failures += 1;
    const before = one.history;
    one.history = observe(before, observation, contextOf(one));
    if (one.history !== before) tracked.set(test, one);
    if (one.history.recovery && !flagged.has(test)) flagged.set(test, observation.at);
  }

  function contextOf({ failures }: Tracked) {
    return { settings, countRuns: () => ({ runs, failures }) };
  }

  return { see, flagged };
}

/** Keeps uploads that are not suspect, by those before them. */
export function createInfrastructureFilter(tests: number): (upload: SimulatedUpload) => boolean {
  const recent: number[] = [];
  return ({ failed }) => {
    if (isSuspect({ tests, failed: failed.length }, recent, settings)) return false;
    if (failed.length > 0) recent.push(failed.length);
    if (recent.length > rememberedUploads) recent.shift();
    return true;
  };
}

/** The outcomes of two runs, of the tests that failed in either: all others passed in both. */
function outcomesOf(one: SimulatedUpload, other: SimulatedUpload): [TreeOutcomes, TreeOutcomes] {
  const ids = [...new Set([...one.failed, ...other.failed])];
  const outcomes = ({ failed }: SimulatedUpload): TreeOutcomes => {
    const has = new Set(failed);
    const pairs = ids.map((id) => [String(id), has.has(id) ? "failed" : "passed"] as const);
    return { isSuspect: false, outcomes: new Map(pairs) };
  };
  return [outcomes(one), outcomes(other)];
}
