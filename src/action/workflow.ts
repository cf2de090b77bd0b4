import type { context } from "@actions/github";

/** The facts that GitHub gives a step about its workflow run. */
export interface Workflow {
  /** The code host, by Trainyard's name for it: `github.com`. */
  readonly host: string;
  readonly serverUrl: string;
  /** GitHub's REST API. */
  readonly apiUrl: string;
  readonly repository: { readonly owner: string; readonly name: string } | null;
  readonly defaultBranch: string | null;
  readonly pullRequest: EventPullRequest | null;
  readonly runId: string | null;
  /** The attempt number of the run, from 1. */
  readonly runAttempt: number;
  /** Empty if unknown. */
  readonly workflowName: string;
  /** The id of the job in the workflow's file. */
  readonly job: string;
  /** Distinguishes this step from the job's other steps; empty if unknown. */
  readonly step: string;
  /** The runner's system, such as `Linux`; empty if unknown. */
  readonly os: string;
  /**
   * The branch that is built: for a pull request its head branch; null for a tag. For `workflow_run`, the branch of the preceding
   * run.
   */
  readonly branch: string | null;
  /** The commit that the workflow was started for. */
  readonly sha: string | null;
  /** Whether that commit is a pull request's test merge. */
  readonly isTestMerge: boolean;
  /** Whether this run follows a run of another workflow. `runId`, `branch` and `sha` are then those of the preceding run. */
  readonly followsRun: boolean;
  /** Whether the event is a push of a branch or tag, or GitHub's own merge queue, which concern no single pull request. */
  readonly isPush: boolean;
  /** Whether the event is about `sha`. Jobs for other events, such as `pull_request_target`, often check out another commit. */
  readonly isAboutSha: boolean;
  /** The user that triggered the workflow. */
  readonly actor: string;
  readonly workspace: string;
  /** A directory that is emptied when the job ends. */
  readonly temporary: string;
}

/** The pull request that an event is about. The event of a comment holds only its number. */
interface EventPullRequest {
  readonly number: number;
  readonly headSha: string | null;
  readonly baseBranch: string | null;
  readonly isFromFork: boolean;
}

const aboutSha: readonly string[] = ["push", "merge_group", "pull_request", "schedule", "workflow_dispatch"];

type Env = Readonly<Record<string, string | undefined>>;

/** The parts of the run's environment and event that `@actions/github` reads. */
type RunContext = Pick<typeof context, "payload" | "serverUrl" | "apiUrl" | "actor">;

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
    isPush: ["push", "merge_group"].includes(env.GITHUB_EVENT_NAME ?? ""),
    isAboutSha: aboutSha.includes(env.GITHUB_EVENT_NAME ?? ""),
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

/**
 * Used for the event `workflow_run`, where GITHUB_SHA and GITHUB_REF always name the default branch instead of that of the preceding run.
 */
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
