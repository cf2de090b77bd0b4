import type { Reason } from "../../reasons/reason.ts";
import type { Actor, Channel } from "../actor.ts";
import type { CheckFact } from "../checks/required-checks.ts";
import type { BuiltRun, EndedRun, StartedRun, TestRun } from "../test-run.ts";

/**
 * A test of a pull request by itself on the base. It is not a queue entry: no test is built on it, and merges ignore it. Its head is
 * pinned: a push ends it.
 */
export interface Try {
  readonly pr: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly url: string;
  readonly askedBy: Actor;
  readonly askedVia: Channel;
  readonly askedAt: number;
  /** null = it waits for a free slot. */
  readonly run: TestRun | null;
  /** The number of times that its commit could not be built because of an outage. */
  readonly attempts: number;
  /** It does not start before this time; null = it starts as soon as a slot is free. */
  readonly retryAt: number | null;
}

/** How a try ended. `stopped` = without a verdict. */
export type TryVerdict = "passed" | "failed" | "stopped";

/** The report to people about an ended try. */
export interface TryReport {
  readonly headSha: string;
  /** The base SHA that it was tested on; null = its test commit was not built. */
  readonly baseSha: string | null;
  readonly verdict: TryVerdict;
  readonly reason: Reason;
}

/** The discarded run of a try; absent in an event = the try had no run. */
export interface DroppedTryRun extends EndedRun {
  /** Its branch was pushed. */
  readonly built: boolean;
  /** CI may still be testing it, so its workflow runs are cancelled. */
  readonly cancels: boolean;
}

export type TryEvent =
  | {
      readonly type: "try_asked";
      readonly pr: number;
      readonly headSha: string;
      readonly headRef: string;
      readonly baseBranch: string;
      readonly title: string;
      readonly url: string;
      readonly actor: Actor;
      readonly via: Channel;
    }
  | { readonly type: "try_started"; readonly pr: number; readonly run: StartedRun }
  | ({ readonly type: "try_built"; readonly pr: number } & BuiltRun)
  /** It waits for a free slot again. */
  | {
      readonly type: "try_put_back";
      readonly pr: number;
      readonly dropped: DroppedTryRun;
      readonly attempts: number;
      readonly retryAt: number | null;
      readonly reason: Reason;
    }
  | ({
      readonly type: "try_ended";
      readonly pr: number;
      readonly dropped?: DroppedTryRun;
      /** The result is not reported on the pull request; absent = it is reported. */
      readonly unreported?: true;
    } & TryReport);

/**
 * A test of the base alone: an empty commit on its tip, tested like any test commit. It is made when a pull request is about to be removed
 * and nothing has passed since its first failure, to find out whether the pull request or the base is at fault. Its run is not a run of
 * entries: nothing is built on it, and it never merges. The run's member is the pull request in question, which the commit does not
 * contain.
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
      /** When the base is tested again unless something passes before; null = never, or as soon as that is needed. */
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
