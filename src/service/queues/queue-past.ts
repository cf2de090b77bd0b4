import { type EntryEvent, isEntryEvent } from "../../engine/decision.ts";
import { evolve } from "../../engine/evolve.ts";
import type { Event, EventData, EventOf } from "../../engine/model/event.ts";
import { allRuns, noQueue, type QueueState } from "../../engine/model/queue.ts";
import { isActive } from "../../engine/model/test-run.ts";
import type { PastStates } from "../../store/queue/past-states.ts";
import type { QueueStore } from "../../store/queue/queue-store.ts";
import type { Directory, QueueAddress } from "../runtime/directory.ts";
import { Forecasts } from "../runtime/forecasts.ts";
import { accepted, type Outcome } from "../runtime/outcome.ts";
import { firstStopState, type Mark, type Marks, marksOf, type Stop, stopOf } from "../runtime/queue-marks.ts";
import { restoreSnapshot } from "../runtime/queue-snapshots.ts";
import { type QueuePicture, queuePicture } from "../runtime/views.ts";
import { yieldToEventLoop } from "../workers/yield-to-event-loop.ts";

export type { Mark, Stop };

const eventsAtOnce = 250;
/** Folding these takes about a second. A moment needs more events only while the states of a long log are computed for the first time. */
const mostEvents = 20_000;
/** The number of events that are searched for the one before a moment and the one after it. */
const eventsSearched = 500;

/** Longer lists are cut, because each entry is explained and sent. */
export const mostViewed = 50;

const queueEvents = [
  "queue_created",
  "queue_configured",
  "queue_status_changed",
  "freeze_changed",
  "stall_changed",
  "queue_moved",
  "bisection_started",
  "bisection_ended",
  "block_failed",
  "base_moved",
  "base_test_started",
  "base_test_ended",
] as const satisfies readonly EventData["type"][];

/** An event that people want to see. The others show how the queue decides, or happen too often. */
export type ToldEvent = EntryEvent | EventOf<(typeof queueEvents)[number]>;

const isQueueEvent: ReadonlySet<string> = new Set(queueEvents);

function isTold(data: EventData): data is ToldEvent {
  // A merge by the queue is shown by the event of its entry.
  if (data.type === "base_moved") return data.pr === null;
  return isEntryEvent(data) || isQueueEvent.has(data.type);
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A queue at a moment in the past. */
export interface PastQueue {
  /** What its page showed, with a part of the entries; null before it was created. */
  readonly view: QueuePicture | null;
  /** The number of all entries that were ready, and of those that were not. */
  readonly ready: number;
  readonly notReady: number;
  /** The number of test runs in progress. */
  readonly testing: number;
  readonly createdAt: number;
  /** The last shown events at or before the moment, all of the same time. Empty before the first one. */
  readonly happened: readonly { readonly at: number; readonly data: ToldEvent }[];
  /** When something happened before, and after; null = nothing did. */
  readonly previous: number | null;
  readonly next: number | null;
}

/** What happened to a queue in a period. */
export interface PastMarks {
  readonly marks: readonly Mark[];
  /** The reason why the queue was stopped at the start of the period. */
  readonly stop: Stop;
}

/** The log is long, and the states from which its moments are folded are not all computed yet. */
export type Unprepared = "unprepared";

/** Reads past states of queues. Each is folded from the log, from the last kept state before it. */
export class QueuePast {
  readonly #directory: Pick<Directory, "find">;
  readonly #past: PastStates;
  readonly #queues: Pick<QueueStore, "targets">;

  constructor(directory: Pick<Directory, "find">, past: PastStates, queues: Pick<QueueStore, "targets">) {
    this.#directory = directory;
    this.#past = past;
    this.#queues = queues;
  }

  /**
   * The queue after everything that happened until a moment, including it.
   *
   * @param from the number of ready entries before the first that is shown
   */
  async read(address: QueueAddress, at: number, from = 0): Promise<Outcome<PastQueue | Unprepared>> {
    const found = await this.#directory.find(address);
    if (!found.ok) return found;
    const { id, createdAt } = found.value;
    const folded = await this.#foldUntil(id, at);
    if (folded === null) return accepted("unprepared");
    const { state, events } = folded;
    const { told, last, earliest } = await this.#toldUntil(id, state.seq, events);
    const later = await this.#past.eventsAfter(id, state.seq, eventsSearched);
    return accepted({
      view:
        state.seq === 0
          ? null
          : queuePicture(state, new Forecasts({ now: () => at }), { from, most: mostViewed }),
      ready: state.entries.size - state.unready.size,
      notReady: state.unready.size,
      testing: [...allRuns(state)].filter(isActive).length,
      createdAt,
      happened: told.filter((event) => event.at === last),
      previous: told.findLast((event) => event.at !== last)?.at ?? earliest,
      next: (later.find(({ data }) => isTold(data)) ?? later.at(-1))?.at ?? null,
    });
  }

  /** The marks on a queue's time axis. */
  async marks(address: QueueAddress, { from, to }: Stretch): Promise<Outcome<PastMarks | Unprepared>> {
    const found = await this.#directory.find(address);
    if (!found.ok) return found;
    const { id } = found.value;
    const rows = await this.#past.marks(id, from, to);
    const known = rows.map(({ marks }): Marks => JSON.parse(marks));
    const last = rows.at(-1) ?? { seq: 0, at: 0 };
    const events = last.at > to ? [] : await this.#eventsUntil(id, last.seq, to);
    if (events === null) return accepted("unprepared");
    known.push(marksOf(events, known.at(-1)?.standing ?? firstStopState));
    const marks = known.flatMap((part) => part.marks);
    const before = marks.findLast((mark) => mark.at < from && "stop" in mark);
    // Without a mark before the period, the state at the end of the first row counts, if that row ends before the period.
    const atFirst = rows[0] && rows[0].at < from ? stopOf(known[0]?.standing ?? firstStopState) : null;
    return accepted({
      marks: marks.filter(({ at }) => at >= from && at <= to),
      stop: before && "stop" in before ? before.stop : atFirst,
    });
  }

  async #foldUntil(queueId: string, at: number) {
    const kept = await this.#past.before(queueId, at);
    let state: QueueState = kept ? await restoreSnapshot(this.#queues, queueId, kept.state) : noQueue;
    const folded: Event[] = [];
    for (;;) {
      const events = await this.#past.eventsAfter(queueId, state.seq, eventsAtOnce);
      for (const event of events) {
        // Clocks may differ or be set back, so a later event can have an earlier time.
        if (event.at > at) return { state, events: folded };
        state = evolve(state, event);
        folded.push(event);
      }
      if (events.length < eventsAtOnce) return { state, events: folded };
      if (folded.length > mostEvents) return null;
      await yieldToEventLoop();
    }
  }

  async #eventsUntil(queueId: string, seq: number, at: number): Promise<readonly Event[] | null> {
    const found: Event[] = [];
    for (;;) {
      const events = await this.#past.eventsAfter(queueId, seq + found.length, eventsAtOnce);
      const end = events.findIndex((event) => event.at > at);
      found.push(...(end < 0 ? events : events.slice(0, end)));
      if (end >= 0 || events.length < eventsAtOnce) return found;
      if (found.length > mostEvents) return null;
      await yieldToEventLoop();
    }
  }

  /** The shown events up to `seq`. Reads earlier events if the given ones do not contain two moments. */
  async #toldUntil(queueId: string, seq: number, events: readonly Event[]) {
    const told = events.flatMap(({ at, data }) => (isTold(data) ? [{ at, data }] : []));
    const last = told.at(-1)?.at ?? null;
    const first = seq - events.length;
    if (first === 0 || told.some(({ at }) => at !== last)) return { told, last, earliest: null };
    const before = Math.max(0, first - eventsSearched);
    const earlier = await this.#past.eventsAfter(queueId, before, first - before);
    const all = [...earlier.flatMap(({ at, data }) => (isTold(data) ? [{ at, data }] : [])), ...told];
    // If none of hundreds of events is shown, the first of them serves as the previous moment.
    return {
      told: all,
      last: all.at(-1)?.at ?? null,
      earliest: before === 0 ? null : (earlier[0]?.at ?? null),
    };
  }
}
