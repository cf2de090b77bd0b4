import type { Event } from "../../engine/model/event.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import type { QueueStore } from "../../store/queue/queue-store.ts";
import { countEvents } from "./count-events.ts";
import { nothingCounted, type Tally } from "./tally.ts";

/** Counts the events of each commit. The last counts of loaded queues are kept in memory. */
export class QueueTallies {
  readonly #store: Pick<QueueStore, "tally">;
  readonly #log: Logger;
  readonly #known = new Map<string, Tally>();

  constructor(store: Pick<QueueStore, "tally">, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Null when the events before were not counted, such as after an upgrade: then the whole log is counted later. */
  async count(
    queueId: string,
    before: QueueState,
    events: readonly Event[],
    after: QueueState,
  ): Promise<Tally | null> {
    if (events.length === 0) return null;
    try {
      const tally = await this.#at(queueId, before.seq);
      return tally && countEvents(tally, before, events, after);
    } catch (error) {
      // Lost counts must not prevent a queue from deciding.
      this.#log.warn(
        { err: error, queueId },
        "could not count the events of a queue; they are counted again",
      );
      return null;
    }
  }

  keep(queueId: string, tally: Tally): void {
    this.#known.set(queueId, tally);
  }

  forget(queueId: string): void {
    this.#known.delete(queueId);
  }

  async #at(queueId: string, seq: number): Promise<Tally | null> {
    if (seq === 0) return nothingCounted;
    const known = this.#known.get(queueId);
    if (known?.seq === seq) return known;
    const stored = await this.#store.tally(queueId);
    return stored?.seq === seq ? (JSON.parse(stored.content) as Tally) : null;
  }
}
