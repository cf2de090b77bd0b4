import type { Objection } from "../reasons/objection.ts";
import type { FailedCheck } from "../reasons/reason.ts";
import type { StackPlace } from "../reasons/stack.ts";
import type { Mergeability } from "./entry.ts";

/** A pull request as just read from the code host. */
export interface PullRequestFacts {
  readonly number: number;
  readonly headSha: string;
  readonly headRef: string;
  /** Its branch was deleted; absent = it was not, or that is not known. */
  readonly isBranchGone?: true;
  readonly baseBranch: string;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly state: "open" | "closed" | "merged";
  /** When it last changed, in milliseconds since the epoch by the code host's clock; absent = not known. */
  readonly updatedAt?: number;
  readonly mergedSha: string | null;
  readonly draft: boolean;
  /** Its head is in another repository, or in a deleted one. */
  readonly fromFork: boolean;
  readonly mergeability: Mergeability;
  readonly blockers: readonly string[];
  /** Its required checks that failed on its head, which are among the blockers or objections; absent = none. */
  readonly failedOnHead?: readonly FailedCheck[];
  readonly objections: readonly Objection[];
  /** Absent = it is in no stack, or GitHub does not support stacks. */
  readonly stack?: StackPlace;
  /** The names in `acceptFromHead` that have passed on the head, or are not required; absent = there are none. */
  readonly acceptedFromHead?: readonly string[];
}
