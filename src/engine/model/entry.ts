import type { Objection } from "../reasons/objection.ts";
import type { Reason } from "../reasons/reason.ts";
import type { Actor, Channel } from "./actor.ts";
import type { Mark } from "./history.ts";
import type { Priority } from "./priority.ts";
import type { Targets } from "./targets.ts";
import type { CommitMessage } from "./test-run.ts";

/** The state of a pull request in a queue. */
export type EntryState =
  /** Submitted; its base branch, mergeability, draft state or reviewers do not allow testing yet, or no longer. */
  | "not_ready"
  /** Waits for a slot, or its test commit is being built. */
  | "pending"
  /** A test run over everything ahead plus this pull request is under way. */
  | "testing"
  /** Its test run passed; it merges once everything ahead has merged. */
  | "tests_passed"
  /** Its test run failed while something ahead, which may be to blame, is undecided. */
  | "pending_failure"
  /** The base contains it. Terminal. */
  | "merged"
  /** It failed on its actual predecessors, or could not be built or merged. Terminal. */
  | "failed"
  /** Taken out by a person, a push, a close or a timeout. Terminal. */
  | "cancelled";

export const entryStates = [
  "not_ready",
  "pending",
  "testing",
  "tests_passed",
  "pending_failure",
  "merged",
  "failed",
  "cancelled",
] as const satisfies readonly EntryState[];

export function isTerminal(state: EntryState): boolean {
  return state === "merged" || state === "failed" || state === "cancelled";
}

export type Mergeability = "mergeable" | "not_mergeable" | "in_progress" | "unspecified";

/** What stands between a submitted pull request and its tests, as last observed. */
export interface Readiness {
  readonly baseBranchMatches: boolean;
  readonly mergeability: Mergeability;
  readonly draft: boolean;
  /** Absent = none. */
  readonly objections?: readonly Objection[];
  /** The names of `acceptFromHead` that have passed on the head, or are not required; absent = none. */
  readonly acceptedFromHead?: readonly string[];
  /** The code host's or our own explanation when it is not mergeable, e.g. `required check "build" failed on its head`. */
  readonly blockers: readonly string[];
}

/** Whether an entry may be tested; `needsTargets` in `parallel` mode. */
export function isReady(
  { readiness, targets }: Pick<Entry, "readiness" | "targets">,
  needsTargets: boolean,
): boolean {
  if (needsTargets && targets === null) return false;
  const { baseBranchMatches, mergeability, draft, objections = [] } = readiness;
  return baseBranchMatches && mergeability === "mergeable" && !draft && objections.length === 0;
}

/** A pull request in a queue. The head is pinned: a push takes the entry out. */
export interface Entry {
  /** A uuid, kept for the pull request across resubmissions. */
  readonly id: string;
  readonly pr: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly state: EntryState;
  readonly stateChangedAt: number;
  /** Why it is in this state. */
  readonly reason: Reason;
  /** Who let it in, and how: the evidence for having admitted it. */
  readonly admittedBy: Actor;
  readonly admittedVia: Channel;
  readonly submittedAt: number;
  readonly priority: Priority;
  readonly noBatch: boolean;
  /** What the submitter wants the merged commit to say; absent = as for any other. */
  readonly message?: CommitMessage;
  /** It has waited so long that only urgent entries and those submitted before it go before it. */
  readonly aged?: true;
  /** Moments from which the time to its merge is measured; the last few. */
  readonly marks?: readonly Mark[];
  /** How likely somebody finds it to be bad, 0 to 1; absent = nobody has said. */
  readonly risk?: number;
  readonly readiness: Readiness;
  /** What it impacts at this head; null until somebody has said so. Counts in `parallel` mode. */
  readonly targets: Targets | null;
  /** The event that said so: a snapshot names it, and does not repeat what may be thousands of targets. */
  readonly targetsSeq: number | null;
  /** The run that decides about it, from the start of its build until it leaves the line. */
  readonly runId: string | null;
  /** While its failed batch is bisected, that decides about it. */
  readonly bisectionId: string | null;
  /** The base that it may merge onto without a test run: its head is looked at, or being merged. Absent = it is tested. */
  readonly directOnto?: string | undefined;
  /** Held: its build conflicted with these, so it waits until they are decided. */
  readonly heldBehind: readonly number[];
  /** After an infrastructure error: not to be tried again before this time. */
  readonly retryAt: number | null;
  readonly attempts: number;
  /** When it failed on what it merges onto; it is tested once more, after those that were submitted before that. Absent = it has not failed. */
  readonly doubtedAt?: number;
  /** How often a failure of it was doubted since it was submitted; absent = never. */
  readonly doubts?: number;
  /** How often CI broke its tests, without a verdict; absent = never. */
  readonly brokenRuns?: number;
  /** How often in a row somebody else cancelled its tests; absent = the last ones were not cancelled. */
  readonly cancelledRuns?: number;
}

/** Urgent entries go before everything that is not testing yet. */
export function skipsTheLine(entry: Pick<Entry, "priority">): boolean {
  return entry.priority.value === 0;
}

/** Where an entry goes when it leaves the line before its turn. */
export type Exit = "failed" | "cancelled" | "merged" | "not_ready";
