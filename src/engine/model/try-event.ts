import type { Reason } from "../reasons/reason.ts";
import type { Actor, Channel } from "./actor.ts";
import type { RequiredCheck, RequiredChecksSource } from "./checks/required-checks.ts";
import type { EndedRun, StartedRun, TestCommit } from "./test-run.ts";
import type { TryReport } from "./try.ts";

/** What became of the run that a try had; absent = it had none. */
export interface DroppedTryRun extends EndedRun {
  /** Its branch was pushed. */
  readonly built: boolean;
  /** CI may still be at work on it, and is told to stop. */
  readonly cancels: boolean;
}

/** What happens to tries. */
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
  | {
      readonly type: "try_built";
      readonly pr: number;
      readonly runId: string;
      readonly branch: string;
      readonly parentSha: string;
      readonly commits: readonly TestCommit[];
      readonly required: readonly RequiredCheck[];
      readonly requiredSource: RequiredChecksSource;
      readonly deadline: number;
      /** Its branch gets a pull request; absent = none. */
      readonly pullRequest?: true;
    }
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
      /** Nobody is told; absent = it is reported. */
      readonly unreported?: true;
    } & TryReport);
