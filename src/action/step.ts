import type { AnswerOf, ClientOptions } from "../client/client.ts";
import type { Fetch } from "../client/fetch.ts";
import type { ActionClient } from "./checked-client.ts";
import type { GitHubApi } from "./github/github-api.ts";
import type { Subject } from "./subject.ts";
import type { Workflow } from "./workflow.ts";

export type Entry = AnswerOf<"getSubmittedPullRequest">;

/** Everything that every command needs. */
export interface StepContext {
  readonly workflow: Workflow;
  readonly runner: Runner;
  /** The address of the service, and the credentials for it. */
  readonly service: ClientOptions;
  /**
   * Requests a token for the job from GitHub, for `submit`, `impacted-targets` and `upload-tests`; null if the job may not have
   * one.
   */
  readonly issueToken: TokenIssuer | null;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Aborted when the workflow is cancelled. The step then has a few seconds left. */
  readonly signal: AbortSignal;
  /** The environment for programs that the step starts: without the step's secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Step extends StepContext {
  readonly subject: Subject;
  readonly client: ActionClient;
  /** Null without a GitHub token. */
  readonly github: GitHubApi | null;
}

/** Requests a token, with the step's own `fetch` and retry options or with those given. */
export type TokenIssuer = (by?: Pick<ClientOptions, "fetch" | "retry">) => Promise<string>;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The result of a step, in one word. */
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
  /** All tests passed, or (`quarantined`) every failure is forgiven. */
  | "passed"
  | "quarantined"
  /** The reports do not contain enough to forgive any failure; or the pull request left the queue in a state of a newer service. */
  | "unknown"
  /** The service gave no verdict. */
  | "not-judged"
  /** The tree of the commit was tested and passed, or its test is not known. */
  | "proved"
  | "not-proved"
  /** The command wrote what the job tests. */
  | "told"
  /** Nothing had to be done, which is usually no failure. */
  | "skipped"
  | "dry-run";

export type OutputName =
  | "state"
  | "reason"
  | "test-run-id"
  | "targets-count"
  | "targets"
  | "quarantined-count"
  | "failed-count"
  | "proved"
  | "run-url"
  | "tested-sha"
  | "pull-request"
  | "checks"
  | "context"
  | "members"
  | "is-bisection"
  | "failed-files";

export interface Outcome {
  readonly verdict: Verdict;
  readonly isFailure: boolean;
  /** The exit code of the step. If left out, it is 1 for a failure and 0 otherwise. */
  readonly exitCode?: number;
  /** A few words. */
  readonly title: string;
  /** Sentences; after a failure, the last one says what to do. */
  readonly message: string;
  readonly outputs: Readonly<Partial<Record<OutputName, string>>>;
  /** Lines of Markdown. */
  readonly details: readonly string[];
}

/** The reason why a step cannot continue, and what to do about it. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly title: string;

  /** @param message sentences; the last one says what to do. */
  constructor(title: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.title = title;
  }
}

/** GitHub's runner, as a step uses it. Masked secrets never appear in its output. */
export interface Runner {
  /** Hides a secret from now on, in the log of the whole job. */
  mask(secret: string): void;
  /** Writes one line to the log. */
  log(line: string): void;
  /** Writes one line for debugging. It appears with `verbose`, or in a run with debug logging. */
  detail(line: string): void;
  /** Writes to the log, and shows the message on the run's page and on the pull request. */
  annotate(level: "notice" | "warning" | "error", title: string, message: string): void;
  output(name: string, value: string): void;
  /** Adds Markdown to the job's summary. */
  summarise(markdown: string): Promise<void>;
}
