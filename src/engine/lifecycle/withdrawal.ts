import type { PullRequestFacts } from "../model/pull-request-facts.ts";
import type { Reason } from "../reasons/reason.ts";
import { stackObjection } from "../reasons/stack.ts";

/** Where a pull request goes that may not be tested or merged as it was submitted. */
export interface Withdrawal {
  readonly to: "merged" | "cancelled" | "not_ready";
  readonly reason: Reason;
}

/**
 * What takes a pull request out of the line, by what it is like now; null: it may merge as it was tested. It decides when a pull
 * request is observed and in the last moment before its merge alike: otherwise merges would be ordered and refused for ever.
 * `mergesStacked`: the lowest pull request of a stack may merge, too. GitHub's `mergeability` is left out: it changes with the checks of the head and the base, which the tests answer for.
 */
export function withdrawalOf(
  tested: { readonly headSha: string; readonly baseBranch: string; readonly mergesStacked?: boolean },
  facts: PullRequestFacts,
): Withdrawal | null {
  if (facts.state === "merged")
    return { to: "merged", reason: { code: "MERGED_BY_OTHERS", sha: facts.mergedSha } };
  const cancelled = (reason: Reason): Withdrawal => ({ to: "cancelled", reason });
  if (facts.state === "closed") return cancelled({ code: "PR_CLOSED" });
  if (facts.headSha !== tested.headSha) return cancelled({ code: "PUSHED_TO", sha: facts.headSha });
  if (facts.baseBranch !== tested.baseBranch)
    return cancelled({ code: "BASE_BRANCH_CHANGED", branch: facts.baseBranch });
  if (facts.draft) return cancelled({ code: "CONVERTED_TO_DRAFT" });
  const objection = facts.objections[0] ?? stackObjection(facts, tested.mergesStacked ?? false);
  return objection ? { to: "not_ready", reason: objection } : null;
}
