import { type CheckSuite, latestRuns } from "../world/check.ts";
import type { Repository } from "../world/repository.ts";

/** The trees of the commits on which, at last, every workflow passed that their push to a branch started. */
export async function greenTrees(repository: Repository): Promise<ReadonlySet<string>> {
  const runs = [...repository.workflowRuns.values()].filter(({ event }) => event === "push");
  const pushes = Map.groupBy(runs, ({ suite }) => `${suite.headSha} ${suite.headBranch}`);
  const green = new Set<string>();
  for (const started of pushes.values()) {
    const latest = new Map(started.map((run) => [run.workflow.id, run]));
    if (![...latest.values()].every(({ suite }) => hasPassed(suite))) continue;
    const commit = await repository.git.commit(started[0]?.suite.headSha ?? "");
    if (commit !== null) green.add(commit.tree);
  }
  return green;
}

function hasPassed(suite: CheckSuite): boolean {
  const conclusions = latestRuns(suite).map(({ conclusion }) => conclusion);
  return (
    conclusions.includes("success") &&
    conclusions.every((conclusion) => conclusion === "success" || conclusion === "skipped")
  );
}
