import { type Entry, type EntryState, skipsTheLine } from "./entry.ts";
import type { OrderKey, QueueState } from "./queue.ts";
import type { Reason } from "./reason.ts";

/** The entry after a transition. */
export function moveEntry(entry: Entry, move: { to: EntryState; reason: Reason }, at: number): Entry {
  return { ...entry, state: move.to, reason: move.reason, stateChangedAt: at };
}

/** Puts an entry in, or replaces it, and keeps the queue's indexes of entries true. O(log n). */
export function withEntry(state: QueueState, entry: Entry): QueueState {
  const known = state.entries.get(entry.pr);
  const cleared = known ? unindexed(state, known) : state;
  return indexed({ ...cleared, entries: cleared.entries.with(entry.pr, entry) }, entry);
}

/** Takes an entry out, and out of the line. */
export function withoutEntry(state: QueueState, pr: number): QueueState {
  const known = state.entries.get(pr);
  if (!known) return state;
  const cleared = unindexed(state, known);
  return {
    ...cleared,
    entries: cleared.entries.without(pr),
    line: cleared.line.includes(pr) ? cleared.line.filter((other) => other !== pr) : cleared.line,
  };
}

/** Smaller goes first: urgent entries, then those that aged, then by priority; each by time of submission. */
export function orderKey(entry: Entry): OrderKey {
  return [
    canAge(entry) || skipsTheLine(entry) ? entry.priority.value : agedRank,
    entry.submittedAt,
    entry.pr,
  ];
}

/** Between the urgent ones (0) and all others (1 and more). */
const agedRank = 0.5;

function canAge(entry: Entry): boolean {
  return !entry.aged && !skipsTheLine(entry);
}

function indexed(state: QueueState, entry: Entry): QueueState {
  switch (placeOf(entry)) {
    case "unready":
      return { ...state, unready: state.unready.with([entry.submittedAt, entry.pr], entry.pr) };
    case "waiting":
      return {
        ...state,
        waiting: state.waiting.with(orderKey(entry), entry.pr),
        ageing: canAge(entry) ? state.ageing.with([entry.submittedAt, entry.pr], entry.pr) : state.ageing,
      };
    case "delayed":
      return { ...state, delayed: state.delayed.with([entry.retryAt ?? 0, entry.pr], entry.pr) };
    case "direct":
      return { ...state, direct: state.direct.with(entry.pr, entry.pr) };
    case "held":
      return { ...state, held: state.held.with(entry.pr, entry.pr) };
    case null:
      return state;
  }
}

function unindexed(state: QueueState, entry: Entry): QueueState {
  switch (placeOf(entry)) {
    case "unready":
      return { ...state, unready: state.unready.without([entry.submittedAt, entry.pr]) };
    case "waiting":
      return {
        ...state,
        waiting: state.waiting.without(orderKey(entry)),
        ageing: state.ageing.without([entry.submittedAt, entry.pr]),
      };
    case "delayed":
      return { ...state, delayed: state.delayed.without([entry.retryAt ?? 0, entry.pr]) };
    case "direct":
      return { ...state, direct: state.direct.without(entry.pr) };
    case "held":
      return { ...state, held: state.held.without(entry.pr) };
    case null:
      return state;
  }
}

/** The one index that an entry stands in; null = none, as for everything in the line. */
function placeOf(entry: Entry): "unready" | "waiting" | "delayed" | "direct" | "held" | null {
  if (entry.state === "not_ready") return "unready";
  if (entry.state !== "pending" || entry.runId !== null || entry.bisectionId !== null) return null;
  if (entry.directOnto !== undefined) return "direct";
  if (entry.retryAt !== null) return "delayed";
  return entry.heldBehind.length > 0 ? "held" : "waiting";
}
