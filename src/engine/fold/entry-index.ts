import { usualTestMs } from "../model/capacity/history.ts";
import { isInterrupted } from "../model/capacity/slots.ts";
import { type Entry, type EntryState, orderTimeOf, skipsTheLine } from "../model/entry.ts";
import { type OrderKey, type QueueState, requireEntry, runOf } from "../model/queue.ts";
import { passesBefore } from "../model/test-run.ts";
import type { Reason } from "../reasons/reason.ts";

/** The entry after a transition. */
export function moveEntry(entry: Entry, move: { to: EntryState; reason: Reason }, at: number): Entry {
  const moved = {
    ...withoutDoubt(withoutCancellations(entry, move.to), move.to),
    state: move.to,
    reason: move.reason,
    stateChangedAt: at,
  };
  if (move.reason.code === "PLACE_LOST") return withoutPlace(moved, at);
  if (move.to !== "not_ready") return moved;
  // It starts over when it is ready again. `directOnto` is deleted, as after a restart, because equal states must give equal texts.
  const { directOnto: _, ...rest } = moved;
  return { ...rest, heldBehind: [], retryAt: null };
}

/** A verdict ends the sequence of cancelled test runs. */
function withoutCancellations(entry: Entry, to: EntryState): Entry {
  if (to !== "tests_passed" && to !== "pending_failure") return entry;
  const { cancelledRuns: _, ...rest } = entry;
  return rest;
}

/** If a doubted entry passes, its failure was a flake. */
function withoutDoubt(entry: Entry, to: EntryState): Entry {
  if (to !== "tests_passed") return entry;
  const { doubted: _, ...rest } = entry;
  return rest;
}

/** The entry as if it were submitted now. */
function withoutPlace({ aged: _, ...entry }: Entry, at: number): Entry {
  return { ...entry, submittedAt: at };
}

/** Adds or replaces an entry, and updates the queue's indexes of entries. O(log n), plus O(line) if it is in the line. */
export function withEntry(state: QueueState, entry: Entry): QueueState {
  const known = state.entries.get(entry.pr);
  const cleared = known ? unindexed(state, known) : state;
  const isInLine = known !== undefined && (known.runId !== null || known.bisectionId !== null);
  const line = isInLine ? cleared.line.updated({ entry, run: runOf(cleared, entry) }) : cleared.line;
  const interrupted = isInterrupted(entry)
    ? cleared.interrupted.with(entry.pr, entry.pr)
    : cleared.interrupted.without(entry.pr);
  return indexed({ ...cleared, line, interrupted, entries: cleared.entries.with(entry.pr, entry) }, entry);
}

/** Removes an entry from the queue and from the line. */
export function withoutEntry(state: QueueState, pr: number): QueueState {
  const known = state.entries.get(pr);
  if (!known) return state;
  const cleared = unindexed(state, known);
  return {
    ...cleared,
    entries: cleared.entries.without(pr),
    interrupted: cleared.interrupted.without(pr),
    line: cleared.line.without(pr),
  };
}

/** The sort key of an entry, smallest first: urgent entries, then aged ones, then by priority; each by the time of submission or doubt. */
export function orderKey(entry: Entry): OrderKey {
  return [
    canAge(entry) || skipsTheLine(entry) ? entry.priority.value : agedRank,
    orderTimeOf(entry),
    entry.pr,
  ];
}

/** The rank of aged entries, between urgent ones (0) and all others (1 and more). */
const agedRank = 0.5;

function canAge(entry: Entry): boolean {
  return !entry.aged && !skipsTheLine(entry);
}

/**
 * The position of a pull request in the queue; 1 = next to merge. The order is: the line, entries that may merge without a test, waiting
 * entries in the order in which they are considered, held entries, delayed entries. Null = it is not ready, or not in the queue.
 * O(line + log n).
 */
export function positionOf(state: QueueState, pr: number): number | null {
  const inLine = state.line.indexOf(pr);
  if (inLine >= 0) return inLine + 1;
  const entry = state.entries.get(pr);
  if (!entry) return null;
  const { line, direct, waiting, held, delayed } = state;
  const behindLine = line.length + 1;
  switch (placeOf(entry)) {
    case "direct":
      return behindLine + direct.rank(pr);
    case "waiting":
      return behindLine + direct.size + waiting.rank(orderKey(entry));
    case "held":
      return behindLine + direct.size + waiting.size + held.rank(pr);
    case "delayed":
      return behindLine + direct.size + waiting.size + held.size + delayed.rank(delayKey(entry));
    case "unready":
    case null:
      return null;
  }
}

function delayKey(entry: Entry): readonly [retryAt: number, pr: number] {
  return [retryTimeOf(entry), entry.pr];
}

/** Returns when a delayed entry is retried, in milliseconds since the epoch. @throws if it is not delayed */
export function retryTimeOf({ pr, retryAt }: Entry): number {
  if (retryAt === null) throw new Error(`#${pr} is not delayed`);
  return retryAt;
}

function indexed(state: QueueState, entry: Entry): QueueState {
  switch (placeOf(entry)) {
    case "unready":
      return { ...state, unready: state.unready.with([entry.stateChangedAt, entry.pr], entry.pr) };
    case "waiting":
      return {
        ...state,
        waiting: state.waiting.with(orderKey(entry), entry.pr),
        ageing: canAge(entry) ? state.ageing.with([orderTimeOf(entry), entry.pr], entry.pr) : state.ageing,
      };
    case "delayed":
      return { ...state, delayed: state.delayed.with(delayKey(entry), entry.pr) };
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
      return { ...state, unready: state.unready.without([entry.stateChangedAt, entry.pr]) };
    case "waiting":
      return {
        ...state,
        waiting: state.waiting.without(orderKey(entry)),
        ageing: state.ageing.without([orderTimeOf(entry), entry.pr]),
      };
    case "delayed":
      return { ...state, delayed: state.delayed.without(delayKey(entry)) };
    case "direct":
      return { ...state, direct: state.direct.without(entry.pr) };
    case "held":
      return { ...state, held: state.held.without(entry.pr) };
    case null:
      return state;
  }
}

/** The index that holds an entry; null = none, e.g. for an entry in the line. */
function placeOf(entry: Entry): "unready" | "waiting" | "delayed" | "direct" | "held" | null {
  if (entry.state === "not_ready") return "unready";
  if (entry.state !== "pending" || entry.runId !== null || entry.bisectionId !== null) return null;
  if (entry.directOnto !== undefined) return "direct";
  if (entry.retryAt !== null) return "delayed";
  return entry.heldBehind.length > 0 ? "held" : "waiting";
}

export function offTheLine(state: QueueState, pr: number): QueueState {
  return update({ ...state, line: state.line.without(pr) }, pr, { runId: null });
}

export function update(state: QueueState, pr: number, changes: Partial<Entry>): QueueState {
  return withEntry(state, { ...requireEntry(state, pr), ...changes });
}

/** A doubted entry is tested again behind everything that is submitted within this number of test durations, unless a slot is idle. */
const testsBefore = 30;

/** Notes the failure of an entry that is tested once more. `at` is when it was doubted, in milliseconds since the epoch. */
export function doubtFailure(state: QueueState, pr: number, at: number): QueueState {
  const { aged: _, ...entry } = requireEntry(state, pr);
  const run = runOf(state, entry);
  const behind = at + testsBefore * usualTestMs(state.history);
  return withEntry(state, {
    ...entry,
    doubted: { failure: entry.reason, behind, ...(run ? { passesBefore: passesBefore(run) } : {}) },
    doubts: (entry.doubts ?? 0) + 1,
  });
}
