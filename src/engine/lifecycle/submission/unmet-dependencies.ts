import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Objection } from "../../reasons/objection.ts";
import type { UnmetDependencies } from "../../reasons/unmet-dependencies.ts";

/** Returns the dependencies of an entry that are not met; null if none are known. */
export function unmetOf({ readiness }: Entry): UnmetDependencies | null {
  return readiness.objections?.find((objection) => objection.code === "DEPENDS_ON") ?? null;
}

/** Returns the entries that wait for a pull request to merge. */
export function dependentsOf(state: QueueState, pr: number): Entry[] {
  return [...state.unready.values()].flatMap((number) => {
    const entry = state.entries.get(number);
    const unmet = entry ? unmetOf(entry) : null;
    return entry && unmet && [...unmet.open, ...unmet.closed].includes(pr) ? [entry] : [];
  });
}

/** Returns the readiness of an entry after a pull request has merged into its base branch. */
export function readinessAfter(entry: Entry, merged: number): Entry["readiness"] {
  const { objections = [], ...rest } = entry.readiness;
  const unmet = objections.flatMap((objection): Objection[] => {
    if (objection.code !== "DEPENDS_ON") return [objection];
    const without = (prs: readonly number[]) => prs.filter((pr) => pr !== merged);
    const { elsewhere, absent, foreign = [], unreadable = [] } = objection;
    const [open, closed] = [without(objection.open), without(objection.closed)];
    const left = [open, closed, elsewhere, absent, foreign, unreadable];
    const isMet = left.every((kind) => kind.length === 0);
    return isMet ? [] : [{ ...objection, open, closed }];
  });
  return unmet.length > 0 ? { ...rest, objections: unmet } : rest;
}
