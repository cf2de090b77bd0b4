/** Tests with fewer common failed runs are not compared: two may fail together by chance. */
const leastShared = 3;
/** The minimum share, of the runs in which at least one of two tests failed, in which both failed (Jaccard). */
const leastAlike = 0.75;

/** If a run has failures of more groups than this, only the groups with the most failures are compared, to limit the work. */
const mostCompared = 30;

/**
 * Groups tests that fail in the same runs, because such failures have one cause. Each test is compared with the first test of each
 * group only. Tests with the most failed runs come first.
 *
 * @param failedRuns the runs in which each test failed
 */
export function groupByCause(
  failedRuns: ReadonlyMap<number, ReadonlySet<number>>,
): readonly (readonly number[])[] {
  const groups: number[][] = [];
  const groupsOfRun = new Map<number, number[]>();
  const sorted = [...failedRuns].sort(([a, runsOfA], [b, runsOfB]) => runsOfB.size - runsOfA.size || a - b);
  for (const [test, runs] of sorted) {
    const shared = new Map<number, number>();
    for (const run of runs)
      for (const group of groupsOfRun.get(run) ?? []) shared.set(group, (shared.get(group) ?? 0) + 1);
    const [best] = [...shared]
      .map(([group, both]) => {
        const others = failedRuns.get(groups[group]?.[0] ?? 0)?.size ?? 0;
        return { group, both, alike: both / (runs.size + others - both) };
      })
      .filter(({ both, alike }) => both >= leastShared && alike >= leastAlike)
      .sort((a, b) => b.alike - a.alike);
    if (best) {
      groups[best.group]?.push(test);
      continue;
    }
    const added = groups.push([test]) - 1;
    for (const run of runs) {
      const known = groupsOfRun.get(run);
      if (!known) groupsOfRun.set(run, [added]);
      else if (known.length < mostCompared) known.push(added);
    }
  }
  return groups;
}
