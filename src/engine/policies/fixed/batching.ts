import { batchSize } from "../../model/batch-size.ts";
import { dependsOnAny } from "../../model/dependencies.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { effective } from "../../model/settings.ts";

/** Entries that wait and go together. */
export interface Batch {
  readonly members: readonly Entry[];
  /** It grows no more: it is full, or what comes next goes alone. */
  readonly isClosed: boolean;
  /** When it starts with what it has. */
  readonly deadline: number;
}

/** So far is looked for entries that may start: beyond, the order decides alone. Bounds the cost of each event. */
export const horizon = 64;

/** The entries that the next run decides about; null when nothing may start now. */
export function nextBatch(state: QueueState, now: number): readonly number[] | null {
  if (!startsTests(state.status) || baseTip(state) === null) return null;
  for (const { members, isClosed, deadline } of batches(state)) {
    if (isClosed || deadline <= now) return members.map(({ pr }) => pr);
  }
  return null;
}

/** When the first batch that is filling starts with what it has; null when none is. */
export function batchDeadline(state: QueueState): number | null {
  const filling = [...batches(state)].filter(({ isClosed }) => !isClosed);
  return filling.length === 0 ? null : Math.min(...filling.map(({ deadline }) => deadline));
}

/** The batch that an entry is in while it fills; null when it is in none, or behind something. */
export function fillingBatch(state: QueueState, entry: Entry): Batch | null {
  const batch = [...batches(state)].find(({ members }) => members.some(({ pr }) => pr === entry.pr));
  return batch && !batch.isClosed ? batch : null;
}

/**
 * The batches that could start, in order. What depends on an entry that comes before it and does not start stays behind
 * that, and so does what depends on a batch that is being bisected, or on what may merge without a test.
 */
function* batches(state: QueueState): Generator<Batch> {
  const undecided = [
    ...[...state.bisections.values()].flatMap(({ members }) => members),
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
    // Whoever asks for another one leaves this one waiting.
    blocking.push(...batch.members);
    for (const member of batch.members.slice(1)) waiting.splice(waiting.indexOf(member), 1);
  }
}

/**
 * The batch that begins with an entry: it and the entries behind it that depend on it or on one another. A batch that is sized by load also
 * takes independent entries, because they would wait longer for a slot of their own.
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
  const deadline = seed.submittedAt + effective(state.settings, "batchingMaxWaitTimeMinutes") * 60_000;
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
  return entry.noBatch || skipsTheLine(entry) || entry.doubtedAt !== undefined;
}
