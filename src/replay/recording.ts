import type { Priority } from "../engine/model/priority.ts";
import type { Reason } from "../engine/reasons/reason.ts";
import type { QueueSettings } from "../engine/model/settings.ts";
import type { Targets } from "../engine/model/targets.ts";

/** One stay of a pull request in the queue, as the log tells it. Times in milliseconds since the epoch. */
export interface RecordedStay {
  readonly pr: number;
  priority: Priority;
  noBatch: boolean;
  targets: Targets | null;
  /** When it could be tested; null = never. */
  readyAt: number | null;
  ending: "merged" | "failed" | "cancelled" | null;
  endedAt: number | null;
  /** Why it ended. */
  reason: Reason | null;
  /** How long the last run took that had a verdict and decided about it; null = there was none. */
  testMs: number | null;
}

export interface RecordedRun {
  readonly members: readonly RecordedStay[];
  /** Everything unmerged that it tested. */
  readonly tree: readonly RecordedStay[];
  builtAt: number | null;
  /** When CI ended, or was not needed any more. */
  endedAt: number | null;
  verdict: "passed" | "failed" | null;
}

/** What a queue's log tells of the work that it had, and of what it made of it. */
export interface Recording {
  readonly from: number;
  readonly to: number;
  /** As they were at the end. */
  readonly settings: QueueSettings;
  readonly stays: readonly RecordedStay[];
  readonly runs: readonly RecordedRun[];
  /** How often settings were changed on the way. */
  readonly reconfigured: number;
  /** For how long nothing could start. */
  readonly stoppedMs: number;
}
