import { type Entry, skipsTheLine } from "./entry.ts";
import { merges, type QueueState } from "./queue.ts";

/** Whether an entry's merge may be ordered now. All code that orders a merge must check this. */
export function mayMerge(state: Pick<QueueState, "status" | "next" | "freeze">, entry: Entry): boolean {
  return merges(state) && !isFrozen(state, entry);
}

/** Whether a freeze keeps an entry from merging. */
export function isFrozen({ freeze }: Pick<QueueState, "freeze">, entry: Entry): boolean {
  return freeze !== null && !skipsTheLine(entry);
}
