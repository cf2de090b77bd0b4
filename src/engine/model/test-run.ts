import type { Reason } from "../reasons/reason.ts";
import type { CheckFact, RequiredCheck, RequiredChecksSource } from "./checks/required-checks.ts";
import type { MergeMethod } from "./settings.ts";

export type TestRunState =
  /** Its test commit is being built. */
  | "building"
  /** The test branch is pushed, and CI tests it. */
  | "running"
  /** Every required check passed. */
  | "passed"
  /** A required check failed, or the run timed out. */
  | "failed";

/** `main` runs decide about entries; `concurrency` limits them. `bisection` runs narrow a failure; `bisectionConcurrency` limits them. */
export type TestRunKind = "main" | "bisection";

/** The message of the commit on the base; an absent part = GitHub's default. */
export interface CommitMessage {
  readonly title?: string;
  readonly body?: string;
}

/** One step of a test branch: a pull request, and the commit and tree that result from its pinned head. */
export interface TestCommit {
  readonly pr: number;
  readonly headSha: string;
  /** The tree that the base has after this pull request merges. */
  readonly treeSha: string;
  readonly commitSha: string;
  /** Absent = GitHub's default. */
  readonly message?: CommitMessage;
}

/** The pull requests that a run decides about, in the order in which they merge. There is at least one. */
export type Members = readonly [first: number, ...others: readonly number[]];

/** @throws if there are none, because a run that decides about nothing must not start */
export function requireMembers([first, ...others]: readonly number[]): Members {
  if (first === undefined) throw new Error("a test run needs at least one member");
  return [first, ...others];
}

/** Tests `base + ahead + members` and decides about the members. */
export interface TestRun {
  readonly id: string;
  readonly kind: TestRunKind;
  /** The bisection that a bisection run belongs to; null for a main run. */
  readonly bisectionId: string | null;
  /** Its member is the culprit of a bisection; absent = it is not. */
  readonly bisected?: true;
  readonly state: TestRunState;
  readonly method: MergeMethod;
  readonly base: string;
  /** The entries between the base and the members, in the order in which they will merge. */
  readonly ahead: readonly number[];
  readonly members: Members;
  /** It tests the base alone, without its member, which is the pull request in question; absent = it does not. */
  readonly ofBase?: true;
  /** Set if it was started on an idle slot, in case the likeliest outcome does not occur; absent = its verdict is needed. */
  readonly hedge?: Hedge;
  /** The block that it tests, on top of some of the blocks ahead: strategy `beliefs` in `single` mode. */
  readonly block?: BlockPath;
  readonly startedAt: number;
  /** The number of tests in flight when it started, itself included; absent for a try, and in old snapshots. */
  readonly atOnce?: number;
  /** When the test branch was pushed. */
  readonly builtAt: number | null;
  readonly deadline: number | null;
  readonly branch: string | null;
  /** The parent of the first member's commit. */
  readonly parentSha: string | null;
  readonly commits: readonly TestCommit[];
  readonly required: readonly RequiredCheck[];
  readonly requiredSource: RequiredChecksSource | null;
  readonly checks: readonly CheckFact[];
  /** Set if the required checks have changed since it was built. */
  readonly changed?: ChangedRequirements;
  /** Required checks that have not appeared although everything else on the test branch has ended; absent = there are none. */
  readonly missing?: MissingChecks | undefined;
  /** Set if its failed checks were re-run, because only known flakes or new tests failed. */
  readonly retried?: RetriedChecks;
  /** Quarantined tests whose failures did not count; absent = there were none. */
  readonly forgiven?: readonly string[];
  readonly failure: Reason | null;
  /**
   * The number of tests that had passed in the queue when it ended (of `History.passes`), as far as is known when its verdict is read; absent
   * before that, and in old snapshots.
   */
  readonly passesBefore?: number;
  /** It failed while the base itself failed, so that its failure says little about its members; absent = it did not. */
  readonly whileBaseFailed?: true;
  /** A passed run that contains all pull requests of this one, so that this one counts as passed. */
  readonly vouchedBy: string | null;
}

/** Returns how many tests had passed when a run or an entry failed. Old snapshots do not tell: as if nothing had passed since. */
export function passesBefore(failure: { readonly passesBefore?: number }): number {
  return failure.passesBefore ?? 0;
}

/**
 * Whether something passed between two failures, and the base did not fail. Otherwise both may have the same cause outside the pull
 * request, and count as one failure.
 */
export function areSeparate(
  first: { readonly passesBefore?: number },
  second: Pick<TestRun, "passesBefore" | "whileBaseFailed">,
): boolean {
  return !second.whileBaseFailed && passesBefore(second) > passesBefore(first);
}

export interface ChangedRequirements {
  /** The required checks that were not required when it was built, by name. */
  readonly added: readonly string[];
  /** The checks that the last change removed. */
  readonly removed: readonly string[];
  /** When they last changed, in milliseconds since the epoch. */
  readonly at: number;
  /** It had ended, and is running again because of the change. */
  readonly reopened?: true;
}

export interface MissingChecks {
  readonly names: readonly string[];
  readonly brokenWorkflows?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface RetriedChecks {
  /** The number of re-runs, from 1. */
  readonly attempt: number;
  /** The check runs that failed before the re-run, which are ignored. */
  readonly outdated: readonly number[];
  /** The known flaky tests that failed. */
  readonly tests: readonly string[];
  /** The new tests that failed; absent = none. */
  readonly newTests?: readonly string[];
  /** The code host refused the re-run. */
  readonly refused: boolean;
}

/** A test for an unlikely case. It gives up its slot to any other test. */
export interface Hedge {
  /** The probability that its verdict is needed, 0 to 1. */
  readonly value: number;
  /** The undecided entry for which it assumes the less likely outcome; null = it repeats a test. */
  readonly against: number | null;
}

export interface BlockPath {
  readonly id: number;
  /** The ids of the blocks ahead that are assumed to merge before it. */
  readonly path: readonly number[];
}

/** The part of a run that the event of its start holds. */
export type StartedRun = Pick<
  TestRun,
  "id" | "kind" | "bisectionId" | "method" | "base" | "ahead" | "members" | "ofBase" | "hedge" | "block"
>;

/** The part of a run that the event of its build holds. */
export interface BuiltRun {
  readonly runId: string;
  readonly branch: string;
  readonly parentSha: string;
  readonly commits: readonly TestCommit[];
  readonly required: readonly RequiredCheck[];
  readonly requiredSource: RequiredChecksSource;
  readonly deadline: number;
  /** A pull request is opened for its branch; absent = none. */
  readonly pullRequest?: true;
}

/** Whether the run occupies a testing slot. */
export function isActive(run: TestRun): boolean {
  return run.state === "building" || run.state === "running";
}

/** The SHA that CI tests; null until the run is built. */
export function testedSha(run: TestRun): string | null {
  return run.commits.at(-1)?.commitSha ?? null;
}

/** The name of the test branch of a new run. It is deterministic, so that a repeated build finds the branch of the first one. */
export function testBranchName(prefix: string, run: Pick<TestRun, "id" | "members">): string {
  return `${prefix}pr-${run.members[0]}/${run.id}`;
}

/**
 * The name of a scratch branch of a queue, below their prefix. It has no `/`: git has no branch below the name of another one, so the
 * branches of the queues of `dev` and `dev/next` would exclude each other.
 */
export function scratchName(branch: string, use: "" | "+merge" | "+try" = ""): string {
  return branch.replace(/[+/]/g, (sign) => (sign === "/" ? "+2F" : "+2B")) + use;
}

/** The test branch of an ended run. The stored name takes precedence: the run may have lost the member that its branch is named after. */
export function branchOfEndedRun(
  prefix: string,
  { runId, pr, branch }: { runId: string; pr: number; branch?: string },
): string {
  return branch ?? testBranchName(prefix, { id: runId, members: [pr] });
}

/** A run whose test branch is no longer needed. */
export interface EndedRun {
  readonly runId: string;
  readonly pr: number;
  /** Absent in data of old versions: then the branch is named after the run and the pull request. */
  readonly branch?: string;
}

/** The tests that failed in a run although their failure did not count. */
export function sparedIn(run: TestRun | null | undefined) {
  return {
    ...(run?.forgiven ? { forgiven: run.forgiven } : {}),
    ...(run?.retried && run.retried.tests.length > 0 ? { retried: run.retried.tests } : {}),
    ...(run?.retried?.newTests ? { retriedNew: run.retried.newTests } : {}),
  };
}
