import { addRun, type Cusum, isFlakyByCusum, restingCusum } from "./cusum.ts";
import { addFlip, type Episode, isFlakyByFlips } from "./flips.ts";
import { beginRecovery, hasRecovered, type Recovery, type RunCount } from "./recovery.ts";
import type { DetectionSettings } from "./settings.ts";
import type { StatusChange, StatusReason, TestStatus } from "./status.ts";
import { addFailure, type FailingStreak, isBroken, noStreak } from "./streak.ts";

/** What detection remembers of one test and variant. A test that never failed has none, and needs none. */
export interface TestHistory {
  /** Newest last; the last one counts. */
  readonly changes: readonly [StatusChange, ...StatusChange[]];
  readonly episodes: readonly Episode[];
  readonly cusum: Cusum;
  readonly streak: FailingStreak;
  /** Of a test that was found to be flaky and has not recovered, broken or not. */
  readonly recovery: Recovery | null;
  /** When its runs last showed that it is flaky, whether that was known already or not; null = never. */
  readonly provenAt: number | null;
}

/** What is seen of a test. Nothing of what a suspect upload holds. */
export type Observation =
  /** It passed and failed on one tree. The weight is `flipWeight` of how many did at once. */
  | { readonly kind: "flip"; readonly at: number; readonly tree: string; readonly weight: number }
  /** Its first attempt in one run. */
  | {
      readonly kind: "run";
      readonly at: number;
      readonly tree: string;
      readonly branch: "pr" | "stable" | "queue";
      readonly outcome: "passed" | "failed";
    };

export interface DetectionContext {
  readonly settings: DetectionSettings;
  /** How often it ran and failed in the last 14 days; asked only when it turns flaky or fails again. */
  readonly countRuns: () => RunCount;
}

/** Changes of status that are kept. */
const keptChanges = 50;

export function newHistory(at: number): TestHistory {
  return {
    changes: [{ status: "HEALTHY", at, reason: { code: "NOTHING_KNOWN" } }],
    episodes: [],
    cusum: restingCusum,
    streak: noStreak,
    recovery: null,
    provenAt: null,
  };
}

export function statusOf({ changes }: TestHistory): StatusChange {
  return changes.at(-1) ?? changes[0];
}

/** The history with one more observation; the same object if it changes nothing. */
export function observe(
  history: TestHistory,
  observation: Observation,
  context: DetectionContext,
): TestHistory {
  switch (observation.kind) {
    case "flip":
      return observeFlip(history, observation, context);
    case "run":
      return observation.outcome === "failed"
        ? observeFailure(history, observation, context)
        : observePass(history, observation, context);
    default:
      throw new Error(`unexpected observation: ${JSON.stringify(observation satisfies never)}`);
  }
}

type Flip = Extract<Observation, { kind: "flip" }>;
type Run = Extract<Observation, { kind: "run" }>;

function observeFlip(
  history: TestHistory,
  { at, tree, weight }: Flip,
  context: DetectionContext,
): TestHistory {
  if (weight === 0) return history;
  const episodes = addFlip(history.episodes, { at, tree, weight }, context.settings);
  const isProven = isFlakyByFlips(episodes, context.settings);
  const next = { ...history, episodes, provenAt: isProven ? at : history.provenAt };
  if (history.recovery) return fellBack(next, at, context);
  if (!isProven) return next;
  return turnedFlaky(next, at, { code: "FLIPPED_ON_ONE_TREE", tree, episodes: episodes.length }, context);
}

function observeFailure(history: TestHistory, run: Run, context: DetectionContext): TestHistory {
  const next = history.recovery ? fellBack(history, run.at, context) : history;
  // On a pull request, and in the queue, it may be the pull request that fails: to find that out is what the queue is for.
  if (run.branch !== "stable") return next;
  const streak = addFailure(next.streak, run.tree, context.settings);
  const cusum = addRun(next.cusum, "failed", context.settings);
  // A failure that goes on says nothing new.
  if (cusum === next.cusum) return judgedBroken({ ...next, streak }, run, context);
  return judgedBroken(judgedByCusum({ ...next, streak, cusum }, run.at, context), run, context);
}

function observePass(history: TestHistory, run: Run, { settings }: DetectionContext): TestHistory {
  const next = run.branch !== "stable" ? history : passedOnBase(history, run, settings);
  if (!next.recovery) return next;
  const recovery = { ...next.recovery, clean: next.recovery.clean + 1 };
  if (statusOf(next).status === "BROKEN" || !hasRecovered(recovery, run.at, settings))
    return { ...next, recovery };
  return changed({ ...next, recovery: null, episodes: [], cusum: restingCusum }, "HEALTHY", run.at, {
    code: "RECOVERED",
    runs: recovery.clean,
  });
}

function passedOnBase(history: TestHistory, run: Run, settings: DetectionSettings): TestHistory {
  const cusum = addRun(history.cusum, "passed", settings);
  if (cusum === history.cusum && history.streak === noStreak) return history;
  const next = { ...history, cusum, streak: noStreak };
  if (statusOf(history).status !== "BROKEN") return next;
  return changed(next, history.recovery ? "FLAKY" : "HEALTHY", run.at, {
    code: "PASSED_AGAIN",
    tree: run.tree,
  });
}

function judgedByCusum(history: TestHistory, at: number, context: DetectionContext): TestHistory {
  const { cusum, recovery } = history;
  if (!isFlakyByCusum(cusum, context.settings)) return history;
  const proven = { ...history, provenAt: at };
  if (recovery) return proven;
  return turnedFlaky(proven, at, { code: "FAILS_NOW_AND_THEN", streaks: cusum.streaks }, context);
}

function judgedBroken(history: TestHistory, { at, tree }: Run, { settings }: DetectionContext): TestHistory {
  const { streak } = history;
  if (statusOf(history).status === "BROKEN" || !isBroken(streak, settings)) return history;
  return changed(history, "BROKEN", at, { code: "FAILS_EACH_TIME", failures: streak.failures, tree });
}

function turnedFlaky(
  history: TestHistory,
  at: number,
  reason: StatusReason,
  { countRuns, settings }: DetectionContext,
): TestHistory {
  const next = { ...history, recovery: beginRecovery(at, countRuns(), settings) };
  return statusOf(history).status === "BROKEN" ? next : changed(next, "FLAKY", at, reason);
}

/** A failure of any kind begins the recovery anew: what may have been the pull request's fault only makes it longer. */
function fellBack(history: TestHistory, at: number, { countRuns, settings }: DetectionContext): TestHistory {
  return { ...history, recovery: beginRecovery(at, countRuns(), settings) };
}

function changed(history: TestHistory, status: TestStatus, at: number, reason: StatusReason): TestHistory {
  const [first, ...rest] = [...history.changes, { status, at, reason }].slice(-keptChanges);
  return first ? { ...history, changes: [first, ...rest] } : history;
}
