/** The unmerged dependencies that a pull request declares in its description (`Depends-On: #N`). They must merge into its base branch. */
export interface UnmetDependencies {
  readonly code: "DEPENDS_ON";
  readonly open: readonly number[];
  /** Closed without a merge. */
  readonly closed: readonly number[];
  /** Merged into another branch. */
  readonly elsewhere: readonly number[];
  readonly absent: readonly number[];
  /** The pull requests of a dependency cycle, starting with this one; empty = there is no cycle. */
  readonly cycle: readonly number[];
}

export function renderUnmet({ open, closed, elsewhere, absent, cycle }: UnmetDependencies): string {
  const mend = "or remove the Depends-On line from the description";
  const texts = [
    textOf(open, "and waits until that has merged"),
    textOf(closed, `which was closed without a merge: reopen that, ${mend}`),
    textOf(elsewhere, `which was merged into another branch: merge that here, too, ${mend}`),
    textOf(absent, `which does not exist: correct the number, ${mend}`),
    cycleText(cycle),
  ];
  return texts.filter((text) => text !== "").join("; ");
}

function textOf(prs: readonly number[], consequence: string): string {
  return prs.length === 0 ? "" : `it depends on ${namesOf(prs)}, ${consequence}`;
}

function cycleText(cycle: readonly number[]): string {
  if (cycle.length === 1) return "it depends on itself: remove the Depends-On line from the description";
  return cycle.length === 0
    ? ""
    : `${namesOf(cycle)} depend on each other: remove one of their Depends-On lines`;
}

const namesOf = (prs: readonly number[]) => prs.map((pr) => `#${pr}`).join(" and ");
