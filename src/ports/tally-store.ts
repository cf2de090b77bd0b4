import type { Event } from "../engine/model/event.ts";

/** What was counted of the queues' logs, so that they need not be counted from the beginning. */
export interface TallyStore {
  /** The last tally of a queue, opaque to the store; null when nothing was counted yet. */
  get(queueId: string): Promise<string | null>;
  /** Keeps a tally up to an event. One that got further stays. */
  put(queueId: string, seq: number, tally: string): Promise<void>;
  /** At most so many events of a queue after one, in order. */
  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]>;
}
