import type { Reason } from "../../reasons/reason.ts";
import type { Actor, Channel } from "../actor.ts";
import type { BuiltRun, EndedRun, StartedRun } from "../test-run.ts";
import type { TryReport } from "./try.ts";

/** The discarded run of a try; absent in an event = the try had no run. */
export interface DroppedTryRun extends EndedRun {
  /** Its branch was pushed. */
  readonly built: boolean;
  /** CI may still be testing it, so its workflow runs are cancelled. */
  readonly cancels: boolean;
}

/** An event about a try. */
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
