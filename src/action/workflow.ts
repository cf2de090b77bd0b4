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
  /** The workflow and the id of the job in its file: other workflows may have a job of that id, too. */
  readonly job: string;
  /** What is built: of a pull request its head branch; null for a tag. */
  readonly branch: string | null;
  /** The commit that the workflow was started for; of a pull request, the test merge. */
  readonly sha: string | null;
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

/** The service takes no longer name. */
const maxJob = 255;

type Env = Readonly<Record<string, string | undefined>>;

/** What `@actions/github` reads of the run's environment and event. */
export type RunContext = Pick<typeof context, "payload" | "serverUrl" | "apiUrl" | "actor">;

export function readWorkflow(
  { payload, serverUrl, apiUrl, actor }: RunContext,
  env: Env,
  temporary: string,
): Workflow {
  const [owner, name] = (env.GITHUB_REPOSITORY ?? "").split("/");
  return {
    host: new URL(serverUrl).host,
    serverUrl,
    apiUrl,
    repository: owner && name ? { owner, name } : null,
    defaultBranch: text(at(payload, "repository", "default_branch")),
    pullRequest: pullRequestOf(payload),
    runId: env.GITHUB_RUN_ID || null,
    runAttempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
    job: [env.GITHUB_WORKFLOW, env.GITHUB_JOB || "job"].filter(Boolean).join(" / ").slice(-maxJob),
    branch: env.GITHUB_HEAD_REF || (env.GITHUB_REF_TYPE === "tag" ? null : env.GITHUB_REF_NAME) || null,
    sha: env.GITHUB_SHA || null,
    actor: actor ?? "",
    workspace: env.GITHUB_WORKSPACE || ".",
    temporary: env.RUNNER_TEMP || temporary,
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
