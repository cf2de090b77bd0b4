import type { QueueSettings } from "../engine/model/settings.ts";
import { runEngine } from "./engine-run/engine-run.ts";
import type { Outcome } from "./outcome.ts";
import { reconstruct } from "./reconstruct.ts";
import type { Recording } from "./recording.ts";
import type { Workload } from "./workload/workload.ts";

/** The outcome of a queue's workload. Times are minutes; null = nothing merged. */
export interface ReplayFigures {
  readonly merged: number;
  /** Removed because their tests failed. */
  readonly failed: number;
  /** Cancelled, merged outside of the queue, or still in the queue at the end. */
  readonly others: number;
  /** From readiness for tests to the merge. */
  readonly waitP50: number | null;
  readonly waitP95: number | null;
  readonly runs: number;
  readonly ciMinutes: number;
}

export interface Replay {
  readonly from: number;
  readonly to: number;
  /** The actual figures. */
  readonly recorded: ReplayFigures;
  /** The same settings in the simulator. The similarity to `recorded` shows how accurate the model is. */
  readonly replayed: ReplayFigures;
  /** The figures with the changed settings. */
  readonly changed: ReplayFigures;
  readonly assumptions: readonly string[];
  /** The engine's violations of invariants during the replay. */
  readonly violations: readonly string[];
}

/** Replays a queue's recorded workload, with its own settings and with changed ones. */
export function replayRecording(recording: Recording, changes: Partial<QueueSettings>): Replay {
  const { recorded, assumptions, replay } = prepareReplay(recording);
  const { from, to } = recording;
  const [replayed, changed] = [replay({}), replay(changes)];
  const violations = [...replayed.violations, ...changed.violations];
  return {
    from,
    to,
    recorded,
    replayed: replayed.figures,
    changed: changed.figures,
    assumptions,
    violations,
  };
}

/** Reconstructs a queue's workload once, to replay it with several settings, each of which may take seconds. */
export function prepareReplay(recording: Recording) {
  const { workload, assumptions } = reconstruct(recording);
  return {
    recorded: asItHappened(recording),
    assumptions,
    replay(changes: Partial<QueueSettings>) {
      const outcome = runEngine(workload, { ...recording.settings, ...changes });
      return { figures: asSimulated(workload, outcome), violations: outcome.violations };
    },
  };
}

function asItHappened({ entries: stays, runs, to }: Recording): ReplayFigures {
  const tested = stays.filter(({ readyAt, ending, reason }) => {
    const failedUntested =
      ending === "failed" && reason?.code !== "CHECKS_FAILED" && reason?.code !== "TESTING_TIMEOUT";
    return readyAt !== null && !failedUntested;
  });
  const isOurs = ({ ending, reason }: (typeof stays)[number]) =>
    ending === "merged" && reason?.code !== "MERGED_BY_OTHERS";
  const merged = tested.filter(isOurs);
  const failed = tested.filter(({ ending }) => ending === "failed").length;
  const waits = merged.flatMap(({ readyAt, endedAt }) =>
    readyAt === null || endedAt === null ? [] : [(endedAt - readyAt) / 60_000],
  );
  const built = runs.flatMap(({ builtAt, endedAt }) => (builtAt === null ? [] : [(endedAt ?? to) - builtAt]));
  return {
    merged: merged.length,
    failed,
    others: tested.length - merged.length - failed,
    ...percentiles(waits),
    runs: built.length,
    ciMinutes: rounded(built.reduce((sum, ms) => sum + ms, 0) / 60_000),
  };
}

function asSimulated({ pullRequests }: Workload, outcome: Outcome): ReplayFigures {
  const ended = (ending: string) => outcome.pullRequests.filter((one) => one.ending === ending);
  const merged = ended("merged");
  const failed =
    ended("rejected").length +
    outcome.pullRequests.filter((one) => one.ending !== "rejected" && one.falseRejections > 0).length;
  const waits = merged.flatMap(({ at, endedAt }) => (endedAt === null ? [] : [endedAt - at]));
  return {
    merged: merged.length,
    failed,
    others: pullRequests.length - merged.length - failed,
    ...percentiles(waits),
    runs: outcome.runs,
    ciMinutes: rounded(outcome.ciMinutes),
  };
}

function percentiles(minutes: readonly number[]): Pick<ReplayFigures, "waitP50" | "waitP95"> {
  const sorted = minutes.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return value === undefined ? null : rounded(value);
  };
  return { waitP50: at(0.5), waitP95: at(0.95) };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
