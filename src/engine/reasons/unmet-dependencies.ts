/** A dependency in another repository (`owner/repo#5`). "unreadable": it does not exist, or the App may not read it. */
export interface ForeignDependency {
  readonly pr: string;
  readonly state: "open" | "closed" | "unreadable";
}

/** The unmerged dependencies that a pull request declares in its description (`Depends-On: #N`). They must merge into its base branch. */
export interface UnmetDependencies {
  readonly code: "DEPENDS_ON";
  readonly open: readonly number[];
  /** Closed without a merge. */
  readonly closed: readonly number[];
  /** Merged into another branch. */
  readonly elsewhere: readonly number[];
  readonly absent: readonly number[];
  /** Absent: there are none in other repositories. */
  readonly foreign?: readonly ForeignDependency[];
  /** Lines of the description that begin like a dependency and cannot be read; absent: there are none. */
  readonly unreadable?: readonly string[];
  /** The pull requests of a dependency cycle, starting with this one; empty = there is no cycle. */
  readonly cycle: readonly number[];
}

/** @param foreign escapes text that others wrote for the place where it is shown */
export function renderUnmet(unmet: UnmetDependencies, foreign: (text: string) => string): string {
  const { open, closed, elsewhere, absent, cycle, unreadable = [] } = unmet;
  const others = (state: ForeignDependency["state"]) =>
    (unmet.foreign ?? []).flatMap((other) => (other.state === state ? [foreign(other.pr)] : []));
  const own = (prs: readonly number[]) => prs.map((pr) => `#${pr}`);
  const mend = "or remove the Depends-On line from the description";
  const texts = [
    textOf([...own(open), ...others("open")], "and waits until that has merged"),
    textOf([...own(closed), ...others("closed")], `which was closed without a merge: reopen that, ${mend}`),
    textOf(own(elsewhere), `which was merged into another branch: merge that here, too, ${mend}`),
    textOf(own(absent), `which does not exist: correct the number, ${mend}`),
    textOf(
      others("unreadable"),
      `which does not exist or cannot be read by this App: install the App on that repository, ${mend}`,
    ),
    cycleText(cycle),
    ...unreadable.map(
      (line) =>
        `its description says "${foreign(line)}", which names no pull request clearly: write "Depends-On: #12" on a line of its own for each one, at most 20`,
    ),
  ];
  return texts.filter((text) => text !== "").join("; ");
}

function textOf(names: readonly string[], consequence: string): string {
  return names.length === 0 ? "" : `it depends on ${names.join(" and ")}, ${consequence}`;
}

function cycleText(cycle: readonly number[]): string {
  if (cycle.length === 1) return "it depends on itself: remove the Depends-On line from the description";
  const names = cycle.map((pr) => `#${pr}`).join(" and ");
  return cycle.length === 0 ? "" : `${names} depend on each other: remove one of their Depends-On lines`;
}
