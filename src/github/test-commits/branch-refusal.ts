import type { Octokit } from "@octokit/rest";
import { isAboutPullRequest, type RefusalCause } from "../../engine/reasons/refusal-cause.ts";
import { messageOf, statusOf } from "../client/code-host-error.ts";
import { causeOf } from "../merging/refusal-cause.ts";
import { findObstacles, type Repository } from "./branches.ts";

export interface BranchRefusal {
  readonly message: string;
  readonly cause: RefusalCause;
}

/** A rule refuses our own commit on one of our branches. */
export class OwnBranchRefused extends Error implements BranchRefusal {
  override readonly name = "OwnBranchRefused";
  override readonly cause: RefusalCause;

  constructor({ message, cause }: BranchRefusal) {
    super(message);
    // A cause that is about a pull request elsewhere is about our own commit here.
    this.cause = isAboutPullRequest(cause) ? "OWN_BRANCH_RULE" : cause;
  }
}

/** Returns the rule or permission that refused a change of one of our branches; null when none did. */
export function branchRefusalOf(error: unknown): BranchRefusal | null {
  if (error instanceof OwnBranchRefused) return error;
  const status = statusOf(error);
  if (status !== 403 && status !== 409 && status !== 422) return null;
  const message = messageOf(error).replace(/\s+/g, " ").trim();
  const cause = causeOf(message);
  // This refusal comes and goes with GitHub's incidents.
  return cause === null || /not authorized/i.test(message) ? null : { message, cause };
}

/** Changes a branch of ours to a commit of ours. A refusal of this is not about a pull request. */
export async function changeOwnBranch<T>(
  octokit: Octokit,
  at: Repository,
  branch: string,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const refusal = branchRefusalOf(error) ?? (await obstructionOf(octokit, at, branch, error));
    throw refusal === null ? error : new OwnBranchRefused(refusal);
  }
}

/** GitHub does not say why such a branch cannot be created. */
async function obstructionOf(
  octokit: Octokit,
  at: Repository,
  branch: string,
  error: unknown,
): Promise<BranchRefusal | null> {
  if (statusOf(error) !== 422) return null;
  const [obstacle] = await findObstacles(octokit, at, branch).catch(() => []);
  if (obstacle === undefined) return null;
  return { message: `${obstacle} is in the way of ${branch}`, cause: "BRANCH_IN_THE_WAY" };
}
