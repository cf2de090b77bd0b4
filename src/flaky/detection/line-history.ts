import { addFlip, type Episode, hasHeavyFlip, isFlakyByFlips } from "./flips.ts";
import {
  addPullRequestRun,
  type PullRequestRuns,
  type RunSource,
  withoutPullRequests,
} from "./pull-requests.ts";
import { beginRecovery, hasRecovered, type Recovery, type RunCount } from "./recovery.ts";
import {
  addFlakyRun,
  addRun,
  type Cusum,
  isBrokenByRuns,
  isFlakyByCusum,
  notWorsening,
  restingCusum,
  type Worsening,
} from "./sequential-tests.ts";
import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";
import type { StatusChange, StatusReason, TestStatus } from "./status.ts";

/** The state of detection for a test on one line: a stable branch, and the pull requests to be merged into it. */
export interface LineHistory {
  readonly status: StatusChange;
  readonly episodes: readonly Episode[];
  readonly cusum: Cusum;
  readonly slowCusum: Cusum;
  readonly streak: FailingStreak;
  readonly worsening: Worsening;
  /** The test's runs in single pull requests, while it is flaky. */
  readonly pullRequests: PullRequestRuns;
  /** Set for a test that was found to be flaky and has not recovered, even if it is broken. */
  readonly recovery: Recovery | null;
  /** When the test's runs last proved that it is flaky, even if that was known before; null = never. */
  readonly provenAt: number | null;
}

/** An observation of a test. Suspect uploads yield none. */
export type Observation =
  /** The test passed and failed on one tree. The weight is `flipWeight` of the number of tests that did so at once. */
  | {
      readonly kind: "flip";
      readonly at: number;
      readonly tree: string;
      readonly source: RunSource;
      readonly weight: number;
    }
  /** The test's first attempt in one run. */
  | {
      readonly kind: "run";
      readonly at: number;
      readonly tree: string;
      readonly source: RunSource;
      readonly outcome: "passed" | "failed";
      /** The run repeats one of the same tree, because something failed there. */
      readonly isRerun: boolean;
      /** The test failed with a message that no earlier failure of it had. */
      readonly isNewMessage: boolean;
    };

export interface DetectionContext {
  readonly settings: DetectionSettings;
  /** Returns how often the test ran and failed in the last 14 days. Called only when it turns flaky or fails again. */
  readonly countRuns: () => RunCount;
}

type Flip = Extract<Observation, { kind: "flip" }>;
type Run = Extract<Observation, { kind: "run" }>;

export function newLineHistory(at: number): LineHistory {
  return {
    status: { status: "HEALTHY", at, reason: { code: "NOTHING_KNOWN" } },
    episodes: [],
    cusum: restingCusum,
    slowCusum: restingCusum,
    streak: noStreak,
    worsening: notWorsening,
    pullRequests: withoutPullRequests,
    recovery: null,
    provenAt: null,
  };
}

/** Adds an observation. Returns the same object if nothing changes. */
export function observeOnLine(
  history: LineHistory,
  observation: Observation,
  context: DetectionContext,
): LineHistory {
  if (observation.kind === "flip") return observeFlip(history, observation, context);
  const watched = history.recovery ? watch(history, observation, context) : history;
  // A rerun is no further evidence, because something is already known to fail on its tree.
  if (observation.isRerun) return watched;
  return observation.outcome === "failed"
    ? observeFailure(watched, observation, context)
    : observePass(watched, observation, context);
}

function observeFlip(history: LineHistory, flip: Flip, context: DetectionContext): LineHistory {
  const { at, tree, weight, source } = flip;
  if (weight === 0) return history;
  const { settings } = context;
  const episodes = addFlip(history.episodes, { at, tree, weight, sources: [source] }, settings);
  const isProven = isFlakyByFlips(episodes, settings);
  const next = { ...history, episodes, provenAt: isProven ? at : history.provenAt };
  if (history.recovery) return fellBack(next, at, context);
  if (!isProven) return next;
  return turnedFlaky(next, at, { code: "FLIPPED_ON_ONE_TREE", tree, episodes: episodes.length }, context);
}

/** Checks whether a flaky test now fails each time, everywhere or in one pull request. */
function watch(history: LineHistory, run: Run, { settings, countRuns }: DetectionContext): LineHistory {
  const worsening = addFlakyRun(history.worsening, run, countRuns, settings);
  const pullRequests = addPullRequestRun(history.pullRequests, run, countRuns, settings);
  if (worsening === history.worsening && pullRequests === history.pullRequests) return history;
  const next = { ...history, worsening, pullRequests };
  if (history.status.status !== "BROKEN" && isBrokenByRuns(worsening, settings)) {
    const { failures } = worsening;
    return changed(next, "BROKEN", run.at, { code: "FAILS_EVERYWHERE", failures, tree: run.tree });
  }
  const isOver = worsening.score === 0 && history.worsening.score > 0;
  if (isOver && history.status.reason.code === "FAILS_EVERYWHERE")
    return changed(next, "FLAKY", run.at, { code: "PASSED_AGAIN", tree: run.tree });
  return next;
}

function observeFailure(history: LineHistory, run: Run, context: DetectionContext): LineHistory {
  const next = history.recovery ? fellBack(history, run.at, context) : history;
  // In a pull request or in the queue, the change itself may be the cause, and the queue exists to find that out.
  if (run.source.kind !== "stable") return next;
  const { settings } = context;
  const streak = addFailure(next.streak, run.tree, settings);
  const cusum = addRun(next.cusum, "failed", settings.cusum);
  // Further failures of an unbroken series are no new evidence.
  if (cusum === next.cusum) return judgedBroken({ ...next, streak }, run, context);
  const slowCusum = addRun(next.slowCusum, "failed", settings.slowCusum);
  return judgedBroken(judgedByCusum({ ...next, streak, cusum, slowCusum }, run.at, context), run, context);
}

function observePass(history: LineHistory, run: Run, { settings }: DetectionContext): LineHistory {
  const next = run.source.kind !== "stable" ? history : passedOnStable(history, run, settings);
  if (!next.recovery) return next;
  const recovery = { ...next.recovery, clean: next.recovery.clean + 1 };
  if (next.status.status === "BROKEN" || !hasRecovered(recovery, run.at, settings))
    return { ...next, recovery };
  const { provenAt } = next;
  const { status } = changed(next, "HEALTHY", run.at, { code: "RECOVERED", runs: recovery.clean });
  return { ...newLineHistory(run.at), status, streak: next.streak, provenAt };
}

function passedOnStable(history: LineHistory, run: Run, settings: DetectionSettings): LineHistory {
  const cusum = addRun(history.cusum, "passed", settings.cusum);
  const slowCusum = addRun(history.slowCusum, "passed", settings.slowCusum);
  const isBroken = history.status.status === "BROKEN";
  const isSame = cusum === history.cusum && slowCusum === history.slowCusum;
  if (isSame && history.streak === noStreak && !isBroken) return history;
  const next = { ...history, cusum, slowCusum, streak: noStreak };
  if (!isBroken) return next;
  const status = history.recovery ? "FLAKY" : "HEALTHY";
  const reason = { code: "PASSED_AGAIN", tree: run.tree } as const;
  return changed({ ...next, worsening: notWorsening }, status, run.at, reason);
}

function judgedByCusum(history: LineHistory, at: number, context: DetectionContext): LineHistory {
  const { settings } = context;
  const { slowCusum, recovery, episodes } = history;
  // A test that has flipped needs less evidence.
  const cusum = hasHeavyFlip(episodes, settings)
    ? { ...settings.cusum, alarm: settings.independent.alarm }
    : settings.cusum;
  const isFlaky = isFlakyByCusum(history.cusum, cusum) || isFlakyByCusum(slowCusum, settings.slowCusum);
  if (!isFlaky) return history;
  const proven = { ...history, provenAt: at };
  if (recovery) return proven;
  const streaks = Math.max(history.cusum.streaks, slowCusum.streaks);
  return turnedFlaky(proven, at, { code: "FAILS_NOW_AND_THEN", streaks }, context);
}

function judgedBroken(history: LineHistory, { at, tree }: Run, { settings }: DetectionContext): LineHistory {
  const { streak } = history;
  if (history.status.status === "BROKEN" || !isBroken(streak, settings)) return history;
  return changed(history, "BROKEN", at, { code: "FAILS_EACH_TIME", failures: streak.failures, tree });
}

function turnedFlaky(
  history: LineHistory,
  at: number,
  reason: StatusReason,
  { countRuns, settings }: DetectionContext,
): LineHistory {
  const next = { ...history, recovery: beginRecovery(at, countRuns(), settings) };
  return history.status.status === "BROKEN" ? next : changed(next, "FLAKY", at, reason);
}

/** Any failure restarts the recovery. If a pull request caused it, this only prolongs the recovery. */
function fellBack(history: LineHistory, at: number, { countRuns, settings }: DetectionContext): LineHistory {
  return { ...history, recovery: beginRecovery(at, countRuns(), settings) };
}

function changed(history: LineHistory, status: TestStatus, at: number, reason: StatusReason): LineHistory {
  return { ...history, status: { status, at, reason } };
}

/** First attempts on stable branches that failed in a row. */
export interface FailingStreak {
  readonly failures: number;
  /** Different trees, at most as many as detection needs. */
  readonly trees: readonly string[];
}

export const noStreak: FailingStreak = { failures: 0, trees: [] };

export function addFailure(
  { failures, trees }: FailingStreak,
  tree: string,
  { broken }: DetectionSettings = defaultDetectionSettings,
): FailingStreak {
  const isNew = trees.length < broken.trees && !trees.includes(tree);
  return { failures: failures + 1, trees: isNew ? [...trees, tree] : trees };
}

/** Whether the test fails each time, on more than one tree. Then the test is broken, or the code that it tests is. */
export function isBroken(
  { failures, trees }: FailingStreak,
  { broken }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return failures >= broken.failures && trees.length >= broken.trees;
}
