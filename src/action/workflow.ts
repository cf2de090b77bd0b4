import type { context } from "@actions/github";

/** What GitHub tells a step about the run that it is in. */
export interface Workflow {
  /** The code host as Trainyard names it: `github.com`. */
  readonly host: string;
  readonly serverUrl: string;
  /** GitHub's REST API. */
  readonly apiUrl: string;
  readonly repository: { readonly owner: string; readonly name: string } | null;
  readonly defaultBranch: string | null;
  readonly pullRequest: EventPullRequest | null;
  readonly runId: string | null;
  /** From 1: which time it is that this run is run. */
  readonly runAttempt: number;
  /** Empty when it is not known. */
  readonly workflowName: string;
  /** The id of the job in the workflow's file. */
  readonly job: string;
  /** What tells this step from the job's others; empty when it is not known. */
  readonly step: string;
  /** The runner's system, such as `Linux`; empty when it is not known. */
  readonly os: string;
  /** What is built: of a pull request its head branch; null for a tag. Of `workflow_run`, what the run before was about. */
  readonly branch: string | null;
  /** The commit that the workflow was started for. */
  readonly sha: string | null;
  /** Whether that commit is a pull request's test merge. */
  readonly isTestMerge: boolean;
  /** Whether it comes after a run of another workflow, which is the one that `runId`, `branch` and `sha` tell of. */
  readonly followsRun: boolean;
  /** Who set the workflow off. */
  readonly actor: string;
  readonly workspace: string;
  /** A directory that is emptied when the job ends. */
  readonly temporary: string;
}

/** The pull request that an event is about. A comment's event tells only its number. */
export interface EventPullRequest {
  readonly number: number;
  readonly headSha: string | null;
  readonly baseBranch: string | null;
  readonly isFromFork: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What `@actions/github` reads of the run's environment and event. */
export type RunContext = Pick<typeof context, "payload" | "serverUrl" | "apiUrl" | "actor">;

export function readWorkflow(
  { payload, serverUrl, apiUrl, actor }: RunContext,
  env: Env,
  temporary: string,
): Workflow {
  const [owner, name] = (env.GITHUB_REPOSITORY ?? "").split("/");
  const run = at(payload, "workflow_run");
  const branch = env.GITHUB_HEAD_REF || (env.GITHUB_REF_TYPE === "tag" ? null : env.GITHUB_REF_NAME) || null;
  // Schedules run on the default branch, and their event names no repository.
  const scheduled = env.GITHUB_EVENT_NAME === "schedule" ? branch : null;
  return {
    host: new URL(serverUrl).host,
    serverUrl,
    apiUrl,
    repository: owner && name ? { owner, name } : null,
    defaultBranch: text(at(payload, "repository", "default_branch")) ?? scheduled,
    pullRequest: pullRequestOf(payload),
    workflowName: env.GITHUB_WORKFLOW ?? "",
    job: env.GITHUB_JOB || "job",
    step: env.GITHUB_ACTION ?? "",
    os: env.RUNNER_OS ?? "",
    ...(run === undefined ? ownRun(env, branch) : runBefore(run)),
    actor: actor ?? "",
    workspace: env.GITHUB_WORKSPACE || ".",
    temporary: env.RUNNER_TEMP || temporary,
  };
}

type Run = Pick<Workflow, "runId" | "runAttempt" | "branch" | "sha" | "isTestMerge" | "followsRun">;

function ownRun(env: Env, branch: string | null): Run {
  return {
    runId: env.GITHUB_RUN_ID || null,
    runAttempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
    branch,
    sha: env.GITHUB_SHA || null,
    isTestMerge: /^refs\/pull\/\d+\/merge$/.test(env.GITHUB_REF ?? ""),
    followsRun: false,
  };
}

/** Of the event `workflow_run`: GITHUB_SHA and GITHUB_REF are the default branch, whatever the run before was about. */
function runBefore(run: unknown): Run {
  return {
    runId: String(at(run, "id") ?? "") || null,
    runAttempt: Number(at(run, "run_attempt")) || 1,
    branch: text(at(run, "head_branch")),
    sha: text(at(run, "head_sha")),
    isTestMerge: false,
    followsRun: true,
  };
}

function pullRequestOf(event: unknown): EventPullRequest | null {
  const pull = at(event, "pull_request");
  const number = at(pull, "number");
  if (typeof number === "number") {
    const base = text(at(pull, "base", "repo", "full_name"));
    // The repository of a fork's head is null once the fork is deleted.
    const isFromFork = text(at(pull, "head", "repo", "full_name")) !== base;
    return {
      number,
      headSha: text(at(pull, "head", "sha")),
      baseBranch: text(at(pull, "base", "ref")),
      isFromFork,
    };
  }
  const issue = at(event, "issue");
  const commented = at(issue, "pull_request") ? at(issue, "number") : null;
  if (typeof commented !== "number") return null;
  return { number: commented, headSha: null, baseBranch: null, isFromFork: false };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
