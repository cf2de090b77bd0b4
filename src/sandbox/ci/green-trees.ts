import { matchesGlob } from "node:path";
import type { App } from "../world/account.ts";
import { latestRuns } from "../world/check.ts";
import type { Repository } from "../world/repository.ts";

/** The trees of the commits on which CI passed, at last, because they were pushed to a branch that it listens to. */
export async function greenTrees(repository: Repository, ciApp: App): Promise<ReadonlySet<string>> {
  const globs = repository.ci?.branches ?? [];
  const green = new Set<string>();
  for (const suites of repository.suites.values()) {
    for (const suite of suites) {
      const { app, headBranch, headSha } = suite;
      const runs = latestRuns(suite);
      const listensTo = headBranch !== null && globs.some((glob) => matchesGlob(headBranch, glob));
      const passed = runs.length > 0 && runs.every(({ conclusion }) => conclusion === "success");
      const commit = app === ciApp && listensTo && passed ? await repository.git.commit(headSha) : null;
      if (commit !== null) green.add(commit.tree);
    }
  }
  return green;
}
