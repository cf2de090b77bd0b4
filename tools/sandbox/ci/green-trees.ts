import { type CheckSuite, latestRuns } from "../world/checks/check.ts";
import type { Repository } from "../world/repository.ts";

/** Returns the trees of the commits for which every workflow that a push to a branch started has passed in its latest run. */
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
