import { batchSize } from "../../model/capacity/slots.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { dependsOnAny } from "../../model/order/dependencies.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import { type Members, requireMembers } from "../../model/test-run.ts";
import { bisectionsOf } from "./fixed-fold.ts";

/** Waiting entries that are tested and merged together. */
export interface Batch {
  readonly members: readonly Entry[];
  /** No entry can join any more: the batch is full, or the next entry cannot join it. */
  readonly isClosed: boolean;
  /** When the batch starts even if it is not full, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** The maximum number of waiting entries that are considered for a start. Later ones wait in order. Bounds the cost of each event. */
export const horizon = 64;

/** Returns the members of the next run; null if none may start now. */
export function nextBatch(state: QueueState, now: number): Members | null {
  if (!startsTests(state.status) || baseTip(state) === null) return null;
  for (const { members, isClosed, deadline } of batches(state)) {
    if (isClosed || deadline <= now) return requireMembers(members.map(({ pr }) => pr));
  }
  return null;
}

/** Returns when the first batch that is not full starts anyway, in milliseconds since the epoch; null if there is none. */
export function batchDeadline(state: QueueState): number | null {
  const filling = [...batches(state)].filter(({ isClosed }) => !isClosed);
  return filling.length === 0 ? null : Math.min(...filling.map(({ deadline }) => deadline));
}

/** Returns the batch of an entry while it can still grow; null if there is none, as when the entry waits behind another one. */
export function fillingBatch(state: QueueState, entry: Entry): Batch | null {
  const batch = [...batches(state)].find(({ members }) => members.some(({ pr }) => pr === entry.pr));
  return batch && !batch.isClosed ? batch : null;
}

/**
 * Yields the batches that can start, in order. An entry waits if it depends on an earlier entry that does not start, on a batch that is
 * being bisected, or on an entry that may merge without a test.
 */
function* batches(state: QueueState): Generator<Batch> {
  const undecided = [
    ...[...bisectionsOf(state).values()].flatMap(({ members }) => members),
    ...state.direct.values(),
  ];
  const blocking = undecided.flatMap((pr) => state.entries.get(pr) ?? []);
  const size = batchSize(state);
  const waiting: Entry[] = [];
  for (const pr of state.waiting.values()) {
    const entry = state.entries.get(pr);
    if (entry) waiting.push(entry);
    if (waiting.length >= horizon) break;
  }
  while (waiting.length > 0) {
    const seed = waiting.shift();
    if (!seed) return;
    if (dependsOnAny(state, seed, blocking)) {
      blocking.push(seed);
      continue;
    }
    const batch = gather(state, seed, waiting, { blocking, size });
    yield batch;
    // The caller asks for another batch, so this one does not start, and blocks the entries that depend on it.
    blocking.push(...batch.members);
    for (const member of batch.members.slice(1)) waiting.splice(waiting.indexOf(member), 1);
  }
}

/**
 * Returns the batch that begins with an entry: the entry, and the entries behind it that depend on members. A batch that is sized by load
 * also takes independent entries, because they would wait longer for a slot of their own.
 */
function gather(
  state: QueueState,
  seed: Entry,
  waiting: readonly Entry[],
  { blocking, size }: { readonly blocking: readonly Entry[]; readonly size: number },
): Batch {
  const members = [seed];
  const behind = [...blocking];
  const byLoad = state.settings.batchSizing === "by_load";
  const deadline = seed.submittedAt + settingInUse(state.settings, "batchingMaxWaitTimeMinutes") * 60_000;
  const closed = { members, isClosed: true, deadline };
  if (size <= 1 || goesAlone(seed)) return closed;
  for (const entry of waiting) {
    const waits = goesAlone(entry) || dependsOnAny(state, entry, behind);
    if (byLoad ? waits : !dependsOnAny(state, entry, members)) {
      behind.push(entry);
      continue;
    }
    if (waits) return closed;
    members.push(entry);
    if (members.length >= size) return closed;
  }
  return { members, isClosed: byLoad, deadline };
}

function goesAlone(entry: Entry): boolean {
  return entry.noBatch || skipsTheLine(entry) || entry.doubted !== undefined;
}
