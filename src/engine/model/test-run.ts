import type { Reason } from "../reasons/reason.ts";
import type { CheckFact, RequiredCheck, RequiredChecksSource } from "./checks/required-checks.ts";
import type { MergeMethod } from "./settings.ts";

export type TestRunState =
  /** Its test commit is being made. */
  | "building"
  /** The test branch is pushed; CI is at work. */
  | "running"
  /** Every required check passed. */
  | "passed"
  /** A required check failed or timed out. */
  | "failed";

/** `main` runs decide about entries, within `concurrency`; `bisection` runs narrow a failure, within `bisectionConcurrency`. */
export type TestRunKind = "main" | "bisection";

/** What the commit on the base says; what is absent is GitHub's default. */
export interface CommitMessage {
  readonly title?: string;
  readonly body?: string;
}

/** One step of the stack: a pull request and what its pinned head made of the tree. */
export interface TestCommit {
  readonly pr: number;
  readonly headSha: string;
  /** The tree that the base will have when this pull request has been merged. */
  readonly treeSha: string;
  readonly commitSha: string;
  /** Absent: GitHub's default. */
  readonly message?: CommitMessage;
}

/** Tests `base + ahead + members` and decides about the members. */
export interface TestRun {
  readonly id: string;
  readonly kind: TestRunKind;
  /** What a bisection run narrows. */
  readonly bisectionId: string | null;
  /** It was a part of a bisection, which has ended with what it found. */
  readonly bisected?: true;
  readonly state: TestRunState;
  readonly method: MergeMethod;
  readonly base: string;
  /** The entries between the base and the members, in the order in which they will merge. */
  readonly ahead: readonly number[];
  readonly members: readonly number[];
  /** Started on an idle slot for the case that the likeliest outcome does not come true; absent = it is needed. */
  readonly hedge?: Hedge;
  /** The block that it tests, on top of some of those ahead: policy `adaptive` in `single` mode. */
  readonly block?: BlockPath;
  readonly startedAt: number;
  /** How many tests were under way when it started, itself included; absent in logs that are older than this. */
  readonly atOnce?: number;
  /** When the test branch was pushed. */
  readonly builtAt: number | null;
  readonly deadline: number | null;
  readonly branch: string | null;
  /** The commit that the members' commits stand on. */
  readonly parentSha: string | null;
  readonly commits: readonly TestCommit[];
  readonly required: readonly RequiredCheck[];
  readonly requiredSource: RequiredChecksSource | null;
  readonly checks: readonly CheckFact[];
  /** Required checks that have not appeared although everything else on the test branch is over; absent = there are none. */
  readonly missing?: MissingChecks | undefined;
  /** Its failed checks were re-run, because only known flakes or new tests had failed. Absent: they were not. */
  readonly retried?: RetriedChecks;
  /** Quarantined tests whose failures did not count; absent = there were none. */
  readonly forgiven?: readonly string[];
  /** Why it failed. */
  readonly failure: Reason | null;
  /** The run that passed in its stead, because it contains all that this one does. */
  readonly vouchedBy: string | null;
}

export interface MissingChecks {
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface RetriedChecks {
  /** How often, from 1. */
  readonly attempt: number;
  /** The check runs that failed before the re-run, which are ignored. */
  readonly outdated: readonly number[];
  /** The known flakes in which they failed. */
  readonly tests: readonly string[];
  /** The new tests in which they failed; absent = none did. */
  readonly newTests?: readonly string[];
  /** The code host did not do it. */
  readonly refused: boolean;
}

/** A test that gives way to any other. */
export interface Hedge {
  /** How likely its verdict is to be needed, 0 to 1. */
  readonly value: number;
  /** The entry on which it bets otherwise; null = it repeats a test. */
  readonly against: number | null;
}

export interface BlockPath {
  readonly id: number;
  /** The blocks ahead that it is taken to merge after, by id. */
  readonly path: readonly number[];
}

/** What an event says of a run that starts. */
export type StartedRun = Pick<
  TestRun,
  "id" | "kind" | "bisectionId" | "method" | "base" | "ahead" | "members" | "hedge" | "block"
>;

/** Occupies a testing slot. */
export function isActive(run: TestRun): boolean {
  return run.state === "building" || run.state === "running";
}

/** The SHA that CI tests; null until it is built. */
export function testedSha(run: TestRun): string | null {
  return run.commits.at(-1)?.commitSha ?? null;
}

/** The name of a run's test branch before it is pushed. Deterministic, so that a repeated build finds what the first one made. */
export function testBranchName(prefix: string, run: Pick<TestRun, "id" | "members">): string {
  return `${prefix}pr-${run.members[0] ?? 0}/${run.id}`;
}

/** A run may have lost the members that its branch is named after: what was pushed is remembered. */
export function branchOfEndedRun(
  prefix: string,
  { runId, pr, branch }: { runId: string; pr: number; branch?: string },
): string {
  return branch ?? testBranchName(prefix, { id: runId, members: [pr] });
}

/** A run whose test branch nothing needs any more. */
export interface EndedRun {
  readonly runId: string;
  readonly pr: number;
  /** Absent in what old versions have written: it is named after the run and the pull request. */
  readonly branch?: string;
}
