import type { Entry } from "../model/entry.ts";
import type { QueueState } from "../model/queue.ts";
import { withEntry } from "./entry-index.ts";

export function offTheLine(state: QueueState, pr: number): QueueState {
  return update({ ...state, line: state.line.without(pr) }, pr, { runId: null });
}

export function entryOf(state: QueueState, pr: number): Entry {
  const entry = state.entries.get(pr);
  if (!entry) throw new Error(`#${pr} is not in queue ${state.id}`);
  return entry;
}

export function update(state: QueueState, pr: number, changes: Partial<Entry>): QueueState {
  return withEntry(state, { ...entryOf(state, pr), ...changes });
}
