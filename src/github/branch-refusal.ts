import { isAboutPullRequest, type RefusalCause } from "../engine/reasons/refusal-cause.ts";
import { messageOf, statusOf } from "./code-host-error.ts";
import { causeOf } from "./refusal-cause.ts";

export interface BranchRefusal {
  readonly message: string;
  readonly cause: RefusalCause;
}

/** A rule refuses a commit of ours on a branch of ours. */
export class OwnBranchRefused extends Error implements BranchRefusal {
  override readonly name = "OwnBranchRefused";
  override readonly cause: RefusalCause;

  constructor({ message, cause }: BranchRefusal) {
    super(message);
    // What would be about a pull request is about our own commit here.
    this.cause = isAboutPullRequest(cause) ? "OWN_BRANCH_RULE" : cause;
  }
}

/** Which rule or permission refused a change of one of our branches; null when none did. */
export function branchRefusalOf(error: unknown): BranchRefusal | null {
  if (error instanceof OwnBranchRefused) return error;
  const status = statusOf(error);
  if (status !== 403 && status !== 409 && status !== 422) return null;
  const message = messageOf(error).replace(/\s+/g, " ").trim();
  const cause = causeOf(message);
  // It comes and goes with GitHub's incidents.
  return cause === null || /not authorized/i.test(message) ? null : { message, cause };
}

/** Changes a branch of ours to a commit of ours; what refuses that is not about a pull request. */
export async function changeOwnBranch<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const refusal = branchRefusalOf(error);
    throw refusal === null ? error : new OwnBranchRefused(refusal);
  }
}
