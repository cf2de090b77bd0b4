/** Why GitHub would refuse to rebase what merges cleanly. */
export type RebaseObstacle =
  /** A commit conflicts. */
  | "conflict"
  /** Together the commits make something else than a merge does. */
  | "result"
  /** There are more commits than GitHub rebases. */
  | "commits";

const rebaseObstacles: Readonly<Record<RebaseObstacle, string>> = {
  conflict: "merges cleanly as a whole, but one of its commits conflicts when they are rebased one by one",
  result: "cannot be rebased, because its commits one by one give another result than a merge",
  commits: "cannot be rebased, because it has more than 100 commits",
};

/** The obstacle as a sentence without a full stop. */
export function renderRebaseObstacle(obstacle: RebaseObstacle): string {
  return rebaseObstacles[obstacle];
}
