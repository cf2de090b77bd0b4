import type { AnswerOf, ClientOptions } from "../client/client.ts";
import type { Fetch } from "../client/fetch.ts";
import type { ActionClient } from "./checked-client.ts";
import type { GitHubApi } from "./github/github-api.ts";
import type { Runner } from "./runner.ts";
import type { Subject } from "./subject.ts";
import type { Workflow } from "./workflow.ts";

/** A pull request as the queue has it. */
export type Entry = AnswerOf<"getSubmittedPullRequest">;

/** What every command works with. */
export interface Surroundings {
  readonly workflow: Workflow;
  readonly runner: Runner;
  /** How to reach the service, and as whom. */
  readonly service: ClientOptions;
  /** Has GitHub issue a token to the job, which `submit` and `impacted-targets` may use; null where it may not. */
  readonly issueToken: TokenIssuer | null;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Aborted when the workflow is cancelled; a few seconds are left then. */
  readonly signal: AbortSignal;
  /** The environment for programs that the step starts: without the step's secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command about a pull request works with. */
export interface Step extends Surroundings {
  readonly subject: Subject;
  readonly client: ActionClient;
  /** Null without a token. */
  readonly github: GitHubApi | null;
}

/** Has a token issued, by the means that the step has for that, or by those given. */
export type TokenIssuer = (by?: Pick<ClientOptions, "fetch" | "retry">) => Promise<string>;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What came of a step, in one word. */
export type Verdict =
  | "submitted"
  | "restarted"
  | "merged"
  | "failed"
  | "cancelled"
  /** Not decided within `timeout-minutes`. */
  | "timed-out"
  /** The workflow was cancelled while it followed the queue. */
  | "interrupted"
  | "never-submitted"
  | "uploaded"
  /** All tests passed, or what failed is forgiven. */
  | "passed"
  | "quarantined"
  /** The reports do not say enough to forgive anything. */
  | "unknown"
  /** The service did not say anything. */
  | "not-judged"
  /** Nothing could be done here, and that is all right. */
  | "skipped"
  | "dry-run";

export type OutputName =
  | "state"
  | "reason"
  | "test-run-id"
  | "targets-count"
  | "targets"
  | "quarantined-count"
  | "failed-count";

export interface Outcome {
  readonly verdict: Verdict;
  readonly isFailure: boolean;
  /** What the step ends with; 1 or 0 where it is left out. */
  readonly exitCode?: number;
  /** A few words. */
  readonly title: string;
  /** Sentences that, after a failure, end with what to do. */
  readonly message: string;
  readonly outputs: Readonly<Partial<Record<OutputName, string>>>;
  /** Lines of Markdown. */
  readonly details: readonly string[];
}
