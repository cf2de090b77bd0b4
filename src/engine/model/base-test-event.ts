import type { Reason } from "../reasons/reason.ts";
import type { CheckFact } from "./checks/required-checks.ts";
import type { BuiltRun, StartedRun } from "./test-run.ts";
import type { DroppedTryRun } from "./tries/try-event.ts";

/**
 * A test of the base alone: an empty commit on its tip, tested as any test commit. When a pull request is about to be removed and nothing
 * has passed since its first failure, it tells a bad pull request from a broken base. Its run is kept beside those of entries, as that of a
 * try is: nothing is built on it, and it never merges. The run's member is the pull request in question, which it does not contain.
 */
export type BaseTestEvent =
  /** The pull request is not removed before the base is tested, because nothing has passed since its first failure. */
  | { readonly type: "base_test_wanted"; readonly pr: number }
  | { readonly type: "base_test_started"; readonly pr: number; readonly run: StartedRun }
  | ({ readonly type: "base_test_built"; readonly pr: number } & BuiltRun)
  | {
      readonly type: "base_test_checked";
      readonly pr: number;
      readonly runId: string;
      readonly checks: readonly CheckFact[];
    }
  | {
      readonly type: "base_test_ended";
      readonly pr: number;
      readonly baseSha: string;
      readonly verdict: BaseTestVerdict;
      /** When the base is tested again unless something passes before; null = it is not, or as soon as that is needed. */
      readonly retryAt: number | null;
      readonly dropped: DroppedTryRun;
      readonly reason: Reason;
    };

export type BaseTestVerdict =
  | "passed"
  | "failed"
  /** CI did not test it, for example because no file is changed. */
  | "unknown"
  /** It was given up before its verdict. */
  | "stopped";
