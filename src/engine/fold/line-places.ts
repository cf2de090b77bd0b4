import type { Entry } from "../model/entry.ts";
import { type QueueState, requireEntry } from "../model/queue.ts";
import { withEntry } from "./entry-index.ts";

export function offTheLine(state: QueueState, pr: number): QueueState {
  return update({ ...state, line: state.line.without(pr) }, pr, { runId: null });
}

export function update(state: QueueState, pr: number, changes: Partial<Entry>): QueueState {
  return withEntry(state, { ...requireEntry(state, pr), ...changes });
}
