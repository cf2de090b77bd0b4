import { isSameName } from "../engine/model/names.ts";
import { type GitHubApi, GitHubRefusal } from "./github/github-api.ts";
import type { PullRequestInputs } from "./inputs.ts";
import { StepError } from "./step.ts";
import type { Workflow } from "./workflow.ts";

/** The pull request that a step is about, and its queue. */
export interface Subject {
  readonly queue: {
    readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
    readonly targetBranch: string;
  };
  readonly pr: number;
  /** The head SHA that the workflow runs for; null if unknown. */
  readonly headSha: string | null;
  readonly isFromFork: boolean;
  readonly url: string;
}

/** Loads a pull request from GitHub; null if this workflow cannot read it. */
type LookUp = (repository: { owner: string; name: string }, pr: number) => Promise<PullRequestFacts | null>;

/** Determines the subject from the inputs, else from the event, else by asking GitHub. @throws StepError when these are not sufficient */
export async function resolveSubject(
  inputs: PullRequestInputs,
  workflow: Workflow,
  lookUp: LookUp,
): Promise<Subject> {
  const repository = inputs.repository ?? workflow.repository;
  if (repository === null) throw new StepError("Which repository?", "Set the input repository: owner/name.");
  const own = isSameRepository(repository, workflow.repository);
  const pr = inputs.pr ?? (own ? workflow.pullRequest?.number : null) ?? null;
  if (pr === null) {
    throw new StepError(
      "Which pull request?",
      "The event that started this workflow is not about a pull request. Set the input pr-number, or run on pull_request.",
    );
  }
  const told = own && workflow.pullRequest?.number === pr ? workflow.pullRequest : null;
  const isEnough = told?.headSha != null && (inputs.targetBranch ?? told.baseBranch) !== null;
  const needsHead = inputs.command === "impacted-targets";
  const facts =
    isEnough || (inputs.targetBranch !== null && !needsHead)
      ? told
      : ((await lookUp(repository, pr)) ?? told);
  const defaultBranch = own ? workflow.defaultBranch : null;
  const targetBranch = inputs.targetBranch ?? facts?.baseBranch ?? defaultBranch;
  if (targetBranch === null) {
    throw new StepError("Which queue?", "Set the input target-branch to the branch of the queue.");
  }
  const { owner, name } = repository;
  return {
    queue: { repo: { host: workflow.host, owner, name }, targetBranch },
    pr,
    headSha: facts?.headSha ?? null,
    isFromFork: facts?.isFromFork ?? false,
    url: `${workflow.serverUrl}/${owner}/${name}/pull/${pr}`,
  };
}

function isSameRepository(
  a: { owner: string; name: string },
  b: { owner: string; name: string } | null,
): boolean {
  return isSameName(`${a.owner}/${a.name}`, `${b?.owner}/${b?.name}`);
}

/** Facts about a pull request that its event may lack. */
interface PullRequestFacts {
  readonly headSha: string | null;
  readonly baseBranch: string | null;
  readonly isFromFork: boolean;
}

interface Pull {
  readonly head: { readonly sha: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly ref: string; readonly repo: { readonly full_name: string } };
}

/** Null when GitHub does not show the pull request to this token. */
export async function loadPullRequest(
  github: GitHubApi,
  { owner, name }: { owner: string; name: string },
  pr: number,
): Promise<PullRequestFacts | null> {
  try {
    const path = `/repos/${owner}/${name}/pulls/${pr}`;
    const { head, base } = (await github.retried(() => github.request("GET", path))) as Pull;
    const isFromFork = head.repo?.full_name !== base.repo.full_name;
    return { headSha: head.sha, baseBranch: base.ref, isFromFork };
  } catch (error) {
    if (error instanceof GitHubRefusal && [401, 403, 404].includes(error.status)) return null;
    throw error;
  }
}
