import type { Event } from "../engine/model/event.ts";

/** Tallies of the queues' logs, so that counting need not start from the beginning. */
export interface TallyStore {
  /** The last tally of a queue, opaque to the store; null when nothing was counted yet. */
  get(queueId: string): Promise<string | null>;
  /** Stores a tally up to an event. A stored tally that covers more events stays. */
  put(queueId: string, seq: number, tally: string): Promise<void>;
  /** At most `limit` events of a queue after `seq`, in order. */
  eventsAfter(queueId: string, seq: number, limit: number): Promise<readonly Event[]>;
}
