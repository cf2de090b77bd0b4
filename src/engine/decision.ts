import { entryAfter, evolve } from "./evolve.ts";
import type { Entry, EntryState } from "./model/entry.ts";
import type { Event, EventData, EventOf } from "./model/event.ts";
import type { Context } from "./model/input.ts";
import { type QueueState, requireEntry } from "./model/queue.ts";
import type { Refusal } from "./model/refusal.ts";
import { isAllowed } from "./model/transition.ts";
import type { Policy } from "./policy.ts";
import type { Reason } from "./reasons/reason.ts";

/** A decision in progress. Each event is folded into the state at once, so that the next step sees its consequences. */
export class Decision {
  state: QueueState;
  refusal: Refusal | null = null;
  readonly events: Event[] = [];
  /** The entries that the events are about, as they are after the last one. */
  readonly touched = new Map<number, Entry>();
  readonly context: Context;

  readonly #policyOf: (state: QueueState) => Policy;

  constructor(state: QueueState, context: Context, policyOf: (state: QueueState) => Policy) {
    this.state = state;
    this.context = context;
    this.#policyOf = policyOf;
  }

  get policy(): Policy {
    return this.#policyOf(this.state);
  }

  record(data: EventData): void {
    const event: Event = { seq: this.state.seq + 1, at: this.context.now, data };
    const before = this.state;
    this.state = evolve(before, event);
    this.events.push(event);
    const entry = entryAfter(before, this.state, event);
    if (entry) this.touched.set(entry.pr, entry);
    for (const pr of entriesOf(data)) {
      const live = this.state.entries.get(pr);
      if (live) this.touched.set(pr, live);
    }
  }

  /** Refuses the command. @throws if an event has been recorded already */
  refuse(refusal: Refusal): void {
    if (this.events.length > 0) throw new Error(`refused ${refusal.code} after recording events`);
    this.refusal = refusal;
  }

  /** Moves a live entry to another state. @throws if the transition table does not allow it */
  move(entry: Entry, to: EntryState, reason: Reason): void {
    if (!isAllowed(entry.state, to, reason.code))
      throw new Error(`#${entry.pr}: no arrow from ${entry.state} to ${to} for ${reason.code}`);
    this.record({ type: "entry_moved", pr: entry.pr, from: entry.state, to, reason });
  }

  /** Returns the current version of a live entry. @throws if it is not in the queue */
  entry(pr: number): Entry {
    return requireEntry(this.state, pr);
  }
}

/** The kinds of events that the story of a pull request consists of. The others show how the queue decides, or happen too often. */
const kinds = [
  "entry_admitted",
  "entry_revised",
  "entry_aged",
  "entry_moved",
  "entry_held",
  "entry_delayed",
  "direct_merge_declined",
  "run_started",
  "run_retried",
  "run_retry_refused",
  "run_missing_checks",
  "run_requirements_changed",
  "merge_started",
] as const satisfies readonly EventData["type"][];

export type EntryEvent = EventOf<(typeof kinds)[number]>;

const isKind: ReadonlySet<string> = new Set(kinds);

export function isEntryEvent(data: EventData): data is EntryEvent {
  return isKind.has(data.type);
}

/** The pull requests to whose story an event belongs. */
export function entriesOf(data: EventData): readonly number[] {
  if (!isEntryEvent(data)) return [];
  switch (data.type) {
    case "run_started":
      return data.run.ofBase ? [] : data.run.members;
    case "run_missing_checks":
    case "run_requirements_changed":
      return data.prs;
    case "merge_started":
      return data.attempt.steps.map(({ pr }) => pr);
    default:
      return [data.pr];
  }
}

/** The events that may stop a queue or let it continue. Each kind is a series of its own, as they are independent. */
export const stopEvents = [
  "queue_status_changed",
  "freeze_changed",
  "stall_changed",
] as const satisfies readonly EventData["type"][];

export type StopEvent = EventOf<(typeof stopEvents)[number]>;

export function isStopEvent(data: EventData): data is StopEvent {
  return (stopEvents as readonly string[]).includes(data.type);
}

/** Whether the queue merges less than usual, or nothing, from this event to the next one of its series. */
export function stopsQueue(data: StopEvent): boolean {
  if (data.type === "stall_changed") return data.stall !== null;
  return data.type === "queue_status_changed" ? data.to !== "running" : data.freeze !== null;
}
