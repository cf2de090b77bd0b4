import type { CheckFact } from "../../engine/model/checks/required-checks.ts";

/** An in-progress workflow run that a pull request from a fork started. */
export interface ForkRun {
  /** The pull request's head, not the test merge that is checked out. */
  readonly headSha: string;
  /** The open pull requests whose head is the fork branch that the run is for. */
  readonly pullRequests: readonly number[];
}

export type RerunResult =
  | { readonly kind: "begun" }
  | { readonly kind: "busy" }
  | { readonly kind: "impossible"; readonly message: string };

export interface CancelledWorkflowRuns {
  readonly cancelled: number;
  /** Why the code host refuses, in its own words; null when it does not refuse. */
  readonly refused: string | null;
}

export interface CheckRunContent {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly detailsUrl: string | null;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion: "success" | "failure" | "cancelled" | "neutral" | null;
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  /** Problems at lines of the commit's files; at most 50. */
  readonly annotations?: readonly CheckAnnotation[];
}

export interface CheckAnnotation {
  readonly path: string;
  /** Starts at 1. */
  readonly line: number;
  readonly message: string;
}

/** A failure that a check reports. Others wrote its texts, so they are cut, and characters that control a terminal or the writing direction are removed. */
export interface FailureAnnotation {
  /** The path of a file and a line of it, such as `src/a.ts:12`; null = the whole check. */
  readonly place: string | null;
  readonly text: string;
}

/** The checks of a commit, as one reading found them. */
export interface CheckReading {
  /** The checks that may count as required checks. */
  readonly checks: readonly CheckFact[];
  /**
   * Whether no check on the commit is queued or in progress, required or not. Known only when a required
   * check is missing; otherwise false.
   */
  readonly isQuiet: boolean;
  /** If it is quiet: the paths of workflow files of which the code host could run no job, such as invalid ones; absent = none. */
  readonly brokenWorkflows?: readonly string[];
}
