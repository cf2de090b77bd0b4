import { isObjection, isReviewUnknown, type Objection, type StackPlace } from "../reasons/objection.ts";
import type { FailedCheck, Reason } from "../reasons/reason.ts";
import type { Actor, Channel } from "./actor.ts";
import type { Mark } from "./capacity/history.ts";
import { type QueueSettings, settingInUse } from "./settings.ts";
import type { Targets } from "./targets.ts";
import type { CommitMessage } from "./test-run.ts";

/** The state of a pull request in a queue. */
export type EntryState =
  /** Submitted, but its base branch, mergeability, draft state or reviewers do not allow testing yet, or no longer allow it. */
  | "not_ready"
  /** Waits for a slot, or its test commit is being built. */
  | "pending"
  /** A test run over everything ahead plus this pull request is in flight. */
  | "testing"
  /** Its test run passed; it merges once everything ahead has merged. */
  | "tests_passed"
  /** Its test run failed, but an undecided entry ahead may be the cause. */
  | "pending_failure"
  /** The base contains it. Terminal. */
  | "merged"
  /** It failed on its actual predecessors, or could not be built or merged. Terminal. */
  | "failed"
  /** Removed by a person, a push, a close or a timeout. Terminal. */
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

/** The conditions for testing a submitted pull request, as last observed. */
export interface Readiness {
  readonly baseBranchMatches: boolean;
  readonly mergeability: Mergeability;
  readonly draft: boolean;
  /** Absent = none. */
  readonly objections?: readonly Objection[];
  /** The names in `acceptFromHead` that have passed on the head; absent = none. */
  readonly acceptedFromHead?: readonly string[];
  /** Why it is not mergeable, as explained by the code host or by us, e.g. `required check "build" failed on its head`. */
  readonly blockers: readonly string[];
  /** As in `PullRequestFacts`. */
  readonly failedOnHead?: readonly FailedCheck[];
}

/** Whether the code host is expected to say more soon. */
export function isStillUnknown({
  mergeability,
  objections = [],
}: Pick<Readiness, "mergeability" | "objections">) {
  return mergeability === "in_progress" || objections.some(isReviewUnknown);
}

/** Whether an entry may be tested. `needsTargets` is true in `parallel` mode. */
export function isReady(
  { readiness, targets }: Pick<Entry, "readiness" | "targets">,
  needsTargets: boolean,
): boolean {
  if (needsTargets && targets === null) return false;
  const { baseBranchMatches, mergeability, draft, objections = [] } = readiness;
  return baseBranchMatches && mergeability === "mergeable" && !draft && objections.length === 0;
}

/** A pull request in a queue. The head is pinned: a push removes the entry. */
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
  /** Who submitted it. Together with `admittedVia` this is the evidence for its admission. */
  readonly admittedBy: Actor;
  readonly admittedVia: Channel;
  readonly submittedAt: number;
  readonly priority: Priority;
  readonly noBatch: boolean;
  /** The message of the merged commit that the submitter wants; absent = the default. */
  readonly message?: CommitMessage;
  /** It has waited so long that only urgent entries and aged entries submitted before it are considered first. */
  readonly aged?: true;
  /** Times from which the duration until its merge is measured. Only the last few are kept. */
  readonly marks?: readonly Mark[];
  /** The predicted probability that it is bad, 0 to 1; absent = no prediction. */
  readonly risk?: number;
  readonly readiness: Readiness;
  /**
   * When the pull request had last changed, according to the last reading that changed this entry; in milliseconds since the epoch by the
   * code host's clock; absent = not known. A reading with an earlier time is outdated.
   */
  readonly updatedAt?: number;
  /** The targets that it impacts at this head; null until they are known. Used in `parallel` mode. */
  readonly targets: Targets | null;
  /** The event that set `targets`. A snapshot refers to it, because it would otherwise repeat thousands of targets. */
  readonly targetsSeq: number | null;
  /** The run that decides about it, from the start of its build until it leaves the line. */
  readonly runId: string | null;
  /** The bisection of its failed batch, which decides about it as long as it lasts. */
  readonly bisectionId: string | null;
  /** The base that it may merge onto without a test run, while its head is examined or merged. Absent = it is tested. */
  readonly directOnto?: string | undefined;
  /** The pull requests that its build conflicted with. It is held until they are decided. */
  readonly heldBehind: readonly number[];
  /** It is not tested before this time, e.g. after an infrastructure error; null = there is no delay. */
  readonly retryAt: number | null;
  readonly attempts: number;
  /** Its failure on its actual predecessors, if it is tested once more; absent = none, or its tests have passed since. */
  readonly doubted?: DoubtedFailure;
  /** The number of its failures that were doubted since it was submitted; absent = none. */
  readonly doubts?: number;
  /** The number of its test runs that CI broke, so that they had no verdict; absent = none. */
  readonly brokenRuns?: number;
  /** The number of its test runs in a row that somebody else cancelled; absent = none. */
  readonly cancelledRuns?: number;
}

/** A failure that does not count before the next test fails, too. */
export interface DoubtedFailure {
  readonly failure: Reason;
  /** See `TestRun.passesBefore`. */
  readonly passesBefore?: number;
  /** It does not count any more, because the base itself failed at that time; absent = it counts. */
  readonly forgiven?: true;
  /** The entry is tested again after entries submitted before this time, or when a slot is idle; milliseconds since the epoch. */
  readonly behind: number;
}

/** The time that orders an entry among those of its priority, and since which it ages; milliseconds since the epoch. */
export function orderTimeOf({ doubted, submittedAt }: Entry): number {
  return doubted?.behind ?? submittedAt;
}

/** After this number of attempts, which is some two minutes, an error counts as lasting. */
const lastingAttempts = 5;

/** The error that has kept its test commit from being built for minutes; null = there is none. */
export function lastingErrorOf({ reason }: Pick<Entry, "reason">): string | null {
  return reason.code === "INFRASTRUCTURE_ERROR" && reason.attempt >= lastingAttempts ? reason.message : null;
}

/** Whether an entry is urgent. Urgent entries precede all entries that are not being tested yet. */
export function skipsTheLine(entry: Pick<Entry, "priority">): boolean {
  return entry.priority.value === 0;
}

/** Where an entry goes when it leaves the line before its turn. */
export type Exit = "failed" | "cancelled" | "merged" | "not_ready";

/** The priority of an entry: lower values go first, equal values by time of submission. */
export interface Priority {
  readonly value: number;
  /** A known name, or the number as text. */
  readonly name: string;
  /** True when nobody chose it. */
  readonly isDefault: boolean;
}

const namedPriorities: ReadonlyMap<string, number> = new Map([
  ["urgent", 0],
  ["high", 10],
  ["medium", 100],
  ["low", 200],
]);

/** The most urgent one first. */
export const priorityNames: readonly string[] = [...namedPriorities.keys()];

export const maxPriority = 4_294_967_295;

export const defaultPriority: Priority = { value: 100, name: "medium", isDefault: true };

/**
 * Parses the priority that a person or a client gives: a name in any case, digits, or a number 0…4294967295.
 * Returns null when it is none of these.
 */
export function parsePriority(input: string | number): Priority | null {
  const text = String(input).trim().toLowerCase();
  const value = namedPriorities.get(text) ?? (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);
  if (!Number.isInteger(value) || value > maxPriority) return null;
  return { value, name: nameOf(value), isDefault: false };
}

function nameOf(value: number): string {
  for (const [name, named] of namedPriorities) if (named === value) return name;
  return String(value);
}

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
  /** The tree of that commit; absent = not known. */
  readonly mergedTree?: string;
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

/**
 * The time until which an entry that left the line because of an objection or a rebase keeps its place in the queue, in milliseconds since the
 * epoch; null = it did not leave for this reason. An entry that was never ready keeps its place as long as it waits, because it has
 * not delayed others.
 */
export function placeKeptUntil(settings: QueueSettings, entry: Entry): number | null {
  const mayKeep = isObjection(entry.reason) || entry.reason.code === "REBASED";
  if (entry.state !== "not_ready" || !mayKeep) return null;
  return entry.stateChangedAt + settingInUse(settings, "reviewGraceMinutes") * 60_000;
}
