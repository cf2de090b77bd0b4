/** Why GitHub would refuse to rebase a pull request that merges cleanly. */
export type RebaseObstacle =
  /** One of its commits conflicts. */
  | "conflict"
  /** The rebased commits give a different tree than a merge. */
  | "result"
  /** It has more commits than GitHub rebases. */
  | "commits";

const rebaseObstacles: Readonly<Record<RebaseObstacle, string>> = {
  conflict: "merges cleanly as a whole, but one of its commits conflicts when they are rebased one by one",
  result: "cannot be rebased, because rebasing its commits gives another tree than merging them",
  commits: "cannot be rebased, because it has more than 100 commits",
};

/** The obstacle as a sentence without a full stop. */
export function renderRebaseObstacle(obstacle: RebaseObstacle): string {
  return rebaseObstacles[obstacle];
}
