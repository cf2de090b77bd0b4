import type { QueueState } from "../../model/queue.ts";
import { isActive } from "../../model/test-run.ts";
import { type CulpritSearch, type SearchTest, searchTest } from "../culprit-search.ts";
import { type Bisection, bisectionsOf } from "./fixed-fold.ts";

/** Policy `fixed`: the bisections of failed batches. */
export function fixedSearches(state: QueueState): CulpritSearch[] {
  return [...bisectionsOf(state).values()].map((bisection) => ({
    prs: bisection.members,
    suspects: bisection.members.slice(bisection.green, bisection.red).map((pr) => ({ pr, chance: null })),
    tests: testsOf(state, bisection),
    since: bisection.startedAt,
  }));
}

/** The batch, the shortest prefix that failed, the longest one that passed, and the prefixes under test. Other verdicts follow from these. */
function testsOf({ runs, runIndex }: QueueState, bisection: Bisection): SearchTest[] {
  const { id, members, green, greenRunId, red, redRunId } = bisection;
  const verdict = (runId: string | null, size: number) => {
    const run = runId === null ? undefined : runs.get(runId);
    return run ? [searchTest(run, members.slice(0, size))] : [];
  };
  const failed = verdict(redRunId, red);
  // The run of the whole batch is not kept once a part of it has failed.
  const lost: SearchTest = {
    prs: members,
    outcome: "failed",
    runId: null,
    startedAt: null,
    failedChecks: [],
  };
  const underWay = (runIndex.probes.get(id) ?? []).flatMap((runId) => {
    const run = runs.get(runId);
    return run && isActive(run) ? [searchTest(run, run.members)] : [];
  });
  return [
    ...(red === members.length && failed.length > 0 ? [] : [lost]),
    ...failed,
    ...(green > 0 ? verdict(greenRunId, green) : []),
    ...underWay,
  ];
}
