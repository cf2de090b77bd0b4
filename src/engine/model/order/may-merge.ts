import { type Entry, skipsTheLine } from "../entry.ts";
import { merges, type QueueState } from "../queue.ts";

/** Whether an entry's merge may be ordered now. All code that orders a merge must check this. */
export function mayMerge(state: Pick<QueueState, "status" | "next" | "freeze">, entry: Entry): boolean {
  return merges(state) && !isFrozen(state, entry);
}

/** Whether a freeze keeps an entry from merging. */
export function isFrozen({ freeze }: Pick<QueueState, "freeze">, entry: Entry): boolean {
  return freeze !== null && !skipsTheLine(entry);
}

/** Whether the merge of a pull request has been ordered, so that only its outcome may move it. */
export function isBeingMerged(state: QueueState, pr: number): boolean {
  return state.merge?.steps.some((step) => step.pr === pr) ?? false;
}

/** Whether an entry in the line merges only after the freeze, so that an urgent entry may take its place. */
export function mayBeSentBackInFreeze(state: QueueState, entry: Entry): boolean {
  return state.freeze !== null && !skipsTheLine(entry) && !isBeingMerged(state, entry.pr);
}
