import type { LocalRepository } from "../local-repository.ts";
import type { TrialPullRequest } from "./pull-requests.ts";

/** The state of a pull request at the end of a trial. */
export interface TrialEnd {
  readonly number: number;
  readonly plan: TrialPullRequest;
  readonly state: string;
  readonly reason: string;
  readonly isLive: boolean;
  readonly headSha: string;
  /** Whether the author withdrew it before GitHub merged it. GitHub's merge time has whole seconds. */
  readonly wasTakenBack: boolean;
}

/** The first line of a comment about a lost place. */
const lossMark = /^<!-- trainyard \S+@\d+ -->/;

export function isAboutLoss({ body }: { readonly body: string }): boolean {
  return lossMark.test(body);
}

/**
 * Judges the comments: a lost place has one, which mentions its author and its submitter, unless its author gave it up. A merge has none.
 */
export function judgeLosses(
  { number, plan, state, reason }: TrialEnd,
  comments: readonly { readonly mentioned: readonly string[] }[],
): string[] {
  const isLost = state === "failed" || (state === "cancelled" && plan.change !== "cancel");
  const expected = isLost ? (plan.fromFork ? "bob, carol" : "alice") : "nobody";
  const told = comments.map(({ mentioned }) => mentioned.toSorted().join(", ")).join("; ") || "nobody";
  return told === expected ? [] : [`#${number} ended ${state} (${reason}), told ${told} and not ${expected}`];
}

/** Returns the outcomes that differ from the truth: good pull requests that did not merge, or forbidden ones that did. */
export function judgeEnds(ends: readonly TrialEnd[]): string[] {
  const wrong = ends.flatMap(({ number, plan, state, reason, isLive, wasTakenBack }) => {
    const at = `#${number} "${plan.title}"`;
    const { ends: truth, because } = plan.truth;
    if (isLive) return [`${at} is stuck: ${state} (${reason})`];
    if (truth === "merges" && state !== "merged") return [`${at} ended ${state} (${reason}), but ${because}`];
    if (truth !== "never_merges" || state !== "merged") return [];
    // The pull request may merge before its author withdraws it.
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

/** Whether main has the tree that plain git computes by merging the merged pull requests in any order. */
export async function judgeFinalTree(
  local: LocalRepository,
  firstSha: string,
  ends: readonly TrialEnd[],
): Promise<string[]> {
  const merged = ends.filter(({ state }) => state === "merged").map(({ headSha }) => headSha);
  const [expected, actual] = [await local.treeOfMerges(firstSha, merged), await local.treeOf("origin/main")];
  return expected === actual ? [] : [`main has the tree ${actual}, and merging by hand makes ${expected}`];
}
