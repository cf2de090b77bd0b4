import type { PullRequestFacts } from "../../model/pull-request-facts.ts";
import { isReviewUnknown } from "../../reasons/objection.ts";
import type { Reason } from "../../reasons/reason.ts";
import { stackObjection } from "../../reasons/stack.ts";

/** The new state of a pull request that may not be tested or merged as it was submitted. */
export interface Withdrawal {
  readonly to: "merged" | "cancelled" | "not_ready";
  readonly reason: Reason;
}

/**
 * Returns why the current facts of a pull request take it out of the line; null if it may merge as it was tested. Used both when a pull
 * request is observed and just before its merge: with different rules, merges would be ordered and refused for ever. `mergesStacked`: the
 * lowest pull request of a stack may merge, too. GitHub's `mergeability` is not used, because it changes with the checks of the head and
 * with the base, which the tests cover.
 */
export function withdrawalOf(
  tested: { readonly headSha: string; readonly baseBranch: string; readonly mergesStacked?: boolean },
  facts: PullRequestFacts,
): Withdrawal | null {
  if (facts.state === "merged")
    return { to: "merged", reason: { code: "MERGED_BY_OTHERS", sha: facts.mergedSha } };
  const cancelled = (reason: Reason): Withdrawal => ({ to: "cancelled", reason });
  if (facts.state === "closed")
    return cancelled({ code: "PR_CLOSED", ...(facts.isBranchGone ? { branch: facts.headRef } : {}) });
  if (facts.headSha !== tested.headSha) return cancelled({ code: "PUSHED_TO", sha: facts.headSha });
  if (facts.baseBranch !== tested.baseBranch)
    return cancelled({ code: "BASE_BRANCH_CHANGED", branch: facts.baseBranch });
  if (facts.draft) return cancelled({ code: "CONVERTED_TO_DRAFT" });
  const objection =
    facts.objections.find((one) => !isReviewUnknown(one)) ??
    stackObjection(facts, tested.mergesStacked ?? false);
  return objection ? { to: "not_ready", reason: objection } : null;
}
