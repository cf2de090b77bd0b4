import type { Entry } from "./entry.ts";
import type { Objection } from "./objection.ts";
import type { QueueState } from "./queue.ts";

/** The pull requests that the description of one depends on (`Depends-On: #N`), and that have not merged into its base branch. */
export interface UnmetDependencies {
  readonly code: "DEPENDS_ON";
  readonly open: readonly number[];
  /** Closed without a merge. */
  readonly closed: readonly number[];
  /** Merged into another branch. */
  readonly elsewhere: readonly number[];
  readonly absent: readonly number[];
  /** Those that depend on each other, beginning with this one; empty: none do. */
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

/** What an entry still depends on; null: nothing, as far as is known. */
export function unmetOf({ readiness }: Entry): UnmetDependencies | null {
  return readiness.objections?.find((objection) => objection.code === "DEPENDS_ON") ?? null;
}

/** The entries that wait for a pull request. */
export function waitingFor(state: QueueState, pr: number): Entry[] {
  return [...state.unready.values()].flatMap((number) => {
    const entry = state.entries.get(number);
    const unmet = entry ? unmetOf(entry) : null;
    return entry && unmet && [...unmet.open, ...unmet.closed].includes(pr) ? [entry] : [];
  });
}

/** The readiness of an entry once a pull request has merged into its base branch. */
export function readinessAfter(entry: Entry, merged: number): Entry["readiness"] {
  const { objections = [], ...rest } = entry.readiness;
  const left = objections.flatMap((objection): Objection[] => {
    if (objection.code !== "DEPENDS_ON") return [objection];
    const without = (prs: readonly number[]) => prs.filter((pr) => pr !== merged);
    const { elsewhere, absent } = objection;
    const [open, closed] = [without(objection.open), without(objection.closed)];
    const isMet = open.length + closed.length + elsewhere.length + absent.length === 0;
    return isMet ? [] : [{ ...objection, open, closed }];
  });
  return left.length > 0 ? { ...rest, objections: left } : rest;
}
