import { type RefusalCause, scopeOf } from "../../engine/reasons/refusal-cause.ts";
import { CodeHostError, messageOf, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { causeOf } from "../merging/merge-refusal.ts";
import { findObstacles } from "./branches.ts";

export interface BranchRefusal {
  readonly message: string;
  readonly cause: RefusalCause;
}

export class OwnBranchRefused extends Error implements BranchRefusal {
  override readonly name = "OwnBranchRefused";
  override readonly cause: RefusalCause;

  constructor({ message, cause }: BranchRefusal) {
    super(message);
    // A cause that elsewhere may concern a pull request concerns our own commit here.
    this.cause = scopeOf(cause) === "all" ? cause : "OWN_BRANCH_RULE";
  }
}

/** Rules that are meant for other branches. On the queue's own branches they forbid its changes, whatever it merges there. */
const forOthers =
  /status checks? .*expected|required workflow|through (a pull request|the merge queue)|force.push|must not contain merge commits|approving review|code scanning|successful .*deployment|locked branch/i;

/** Returns the rule or permission that refused a change of one of our branches; null when none did. */
export function branchRefusalOf(error: unknown): BranchRefusal | null {
  if (error instanceof OwnBranchRefused) return error;
  const status = statusOf(error);
  if (status !== 403 && status !== 409 && status !== 422) return null;
  const message = messageOf(error).replace(/\s+/g, " ").trim();
  const cause = causeOf(message);
  // Such a message quotes a path, in which an author may write the words that follow.
  if (cause === "FILE_RULE" || cause === "WORKFLOWS_PERMISSION_MISSING") return { message, cause };
  // This refusal also occurs during incidents of GitHub.
  if (/not authorized/i.test(message)) return null;
  if (forOthers.test(message)) return { message, cause: "OWN_BRANCH_RULE" };
  return cause && { message, cause };
}

/** Returns why GitHub refused to merge a head on one of our branches, if it did. Words that are not recognised may be about the head. */
export function headRefusalOf(error: unknown): BranchRefusal | null {
  if (!(error instanceof CodeHostError) || error.refusal !== "OTHER") return branchRefusalOf(error);
  return { message: error.message, cause: error.refusal };
}

/** Changes a branch of ours to a commit of ours. A refusal of this is not about a pull request. */
export async function changeOwnBranch<T>(
  api: RepositoryApi,
  branch: string,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const refusal = branchRefusalOf(error) ?? ruleOf(error) ?? (await branchInTheWay(api, branch, error));
    throw refusal === null ? error : new OwnBranchRefused(refusal);
  }
}

/** A rule in words that are not recognised. */
function ruleOf(error: unknown): BranchRefusal | null {
  if (statusOf(error) !== 422) return null;
  const message = messageOf(error).replace(/\s+/g, " ").trim();
  return /rule violations|protected branch|hook/i.test(message) ? { message, cause: "OTHER" } : null;
}

/** GitHub does not say why such a branch cannot be created. */
async function branchInTheWay(
  api: RepositoryApi,
  branch: string,
  error: unknown,
): Promise<BranchRefusal | null> {
  if (statusOf(error) !== 422) return null;
  const [obstacle] = await findObstacles(api, branch).catch(() => []);
  if (obstacle === undefined) return null;
  return { message: `${obstacle} is in the way of ${branch}`, cause: "BRANCH_IN_THE_WAY" };
}
