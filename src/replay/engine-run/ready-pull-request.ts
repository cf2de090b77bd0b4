import type { PullRequestFacts } from "../../engine/model/entry.ts";

/** Returns a pull request as the code host would report it: open, and ready from the start. */
export function readyPullRequest(number: number, facts: Partial<PullRequestFacts> = {}): PullRequestFacts {
  return {
    number,
    headSha: `head-${number}`,
    headRef: `change-${number}`,
    baseBranch: "main",
    title: `Change ${number}`,
    author: "alice",
    url: `https://github.com/acme/simulated/pull/${number}`,
    state: "open",
    mergedSha: null,
    draft: false,
    fromFork: false,
    mergeability: "mergeable",
    blockers: [],
    objections: [],
    ...facts,
  };
}
