import type { Priority } from "../engine/model/entry.ts";
import type { QueueSettings } from "../engine/model/settings.ts";
import type { Targets } from "../engine/model/targets.ts";
import type { Reason } from "../engine/reasons/reason.ts";

/** One stay of a pull request in the queue, as the log shows it. Times are milliseconds since the epoch. */
export interface RecordedStay {
  readonly pr: number;
  priority: Priority;
  noBatch: boolean;
  targets: Targets | null;
  /** When it became ready for tests; null = never. */
  readyAt: number | null;
  ending: "merged" | "failed" | "cancelled" | null;
  endedAt: number | null;
  /** The reason of the ending. */
  reason: Reason | null;
  /** Duration of the last run that decided about it and had its own verdict; null = there was none. */
  testMs: number | null;
}

export interface RecordedRun {
  readonly members: readonly RecordedStay[];
  /** All unmerged pull requests that it tested. */
  readonly tree: readonly RecordedStay[];
  builtAt: number | null;
  /** When CI ended, or the run was no longer needed. */
  endedAt: number | null;
  verdict: "passed" | "failed" | null;
}

/** The workload of a queue and its outcome, as the log shows them. */
export interface Recording {
  readonly from: number;
  readonly to: number;
  /** The settings at the end. */
  readonly settings: QueueSettings;
  readonly stays: readonly RecordedStay[];
  readonly runs: readonly RecordedRun[];
  /** Number of changes of the settings. */
  readonly reconfigured: number;
  /** How long the queue started no tests. */
  readonly stoppedMs: number;
}
