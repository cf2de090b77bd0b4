import type { LocalRepository } from "../local-repository.ts";
import type { TrialPullRequest } from "./pull-requests.ts";

/** A pull request at the end of a trial. */
export interface TrialEnd {
  readonly number: number;
  readonly plan: TrialPullRequest;
  readonly state: string;
  readonly reason: string;
  readonly isLive: boolean;
  readonly headSha: string;
  /** Whether the author had taken it back before GitHub merged it, by GitHub's clock of whole seconds. */
  readonly wasTakenBack: boolean;
}

/** What ended otherwise than its truth demands: evicted although good, or merged although forbidden. */
export function judgeEnds(ends: readonly TrialEnd[]): string[] {
  const wrong = ends.flatMap(({ number, plan, state, reason, isLive, wasTakenBack }) => {
    const at = `#${number} "${plan.title}"`;
    const { ends: truth, because } = plan.truth;
    if (isLive) return [`${at} is stuck: ${state} (${reason})`];
    if (truth === "merges" && state !== "merged") return [`${at} ended ${state} (${reason}), but ${because}`];
    if (truth !== "never_merges" || state !== "merged") return [];
    // It may merge before its author changes their mind.
    return plan.change !== null && !wasTakenBack ? [] : [`${at} merged, but ${because}`];
  });
  const groups = Map.groupBy(
    ends.filter(({ plan }) => plan.truth.ends === "one_of"),
    ({ plan }) => (plan.truth.ends === "one_of" ? plan.truth.group : ""),
  );
  for (const [group, members] of groups) {
    const merged = members.filter(({ state }) => state === "merged");
    const states = members.map(({ number, state, reason }) => `#${number} ${state} (${reason})`).join(", ");
    if (merged.length !== 1) wrong.push(`of ${group} exactly one must merge, but: ${states}`);
  }
  return wrong;
}

/** Whether main is what plain git makes of the merged pull requests, one after the other, in any order. */
export async function judgeFinalTree(
  local: LocalRepository,
  firstSha: string,
  ends: readonly TrialEnd[],
): Promise<string[]> {
  const merged = ends.filter(({ state }) => state === "merged").map(({ headSha }) => headSha);
  const [expected, actual] = [await local.treeOfMerges(firstSha, merged), await local.treeOf("origin/main")];
  return expected === actual ? [] : [`main has the tree ${actual}, and merging by hand makes ${expected}`];
}
