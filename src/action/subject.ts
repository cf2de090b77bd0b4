import { isSameName } from "../engine/model/names.ts";
import type { PullRequestFacts } from "./github/load-pull-request.ts";
import type { PullRequestInputs } from "./inputs.ts";
import { StepError } from "./step-error.ts";
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
export type LookUp = (
  repository: { owner: string; name: string },
  pr: number,
) => Promise<PullRequestFacts | null>;

/**
 * Finds the subject in the inputs, else in the event, else by asking GitHub.
 *
 * @throws StepError when they do not say enough.
 */
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
