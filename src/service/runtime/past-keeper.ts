import { evolve } from "../../engine/evolve.ts";
import { noQueue } from "../../engine/model/queue.ts";
import { serializedParts } from "../../engine/snapshot.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import type { PastStates } from "../../store/queue/past-states.ts";
import type { QueueStore } from "../../store/queue/queue-store.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";
import { yieldToEventLoop } from "../workers/yield-to-event-loop.ts";
import { type Mark, marksOf, stopStateOf } from "./queue-marks.ts";
import { restoreSnapshot } from "./queue-snapshots.ts";

const everyMs = 5 * 60_000;
/**
 * The minimum number of events between two kept states. Folding them takes some 40 ms. A queue with more entries than this keeps a state
 * after as many events as it has entries.
 */
export const eventsPerPastState = 1_000;
/** Folding these takes a few milliseconds. */
const eventsAtOnce = 100;

/**
 * Keeps states of the queues at intervals, from which any moment of the past can be folded. Includes logs that are older than this feature.
 */
export class PastKeeper {
  readonly #past: PastStates;
  readonly #queues: Pick<QueueStore, "list" | "targets">;
  readonly #log: Logger;
  readonly #rounds: PeriodicTask;

  constructor(past: PastStates, queues: Pick<QueueStore, "list" | "targets">, log: Logger) {
    this.#past = past;
    this.#queues = queues;
    this.#log = log;
    const purpose = "keep states of the past";
    this.#rounds = new PeriodicTask({ run: () => this.#keep(), everyMs, purpose, log, level: "warn" });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #keep(): Promise<void> {
    for (const { id } of await this.#queues.list()) {
      if (!this.#rounds.isRunning || (await this.#past.countNewer(id)) < eventsPerPastState) continue;
      // A damaged log must not prevent the work on the other queues.
      await this.#keepStatesOf(id).catch((error: unknown) =>
        this.#log.warn({ err: error, queueId: id }, "could not keep states of a queue's past"),
      );
    }
  }

  async #keepStatesOf(queueId: string): Promise<void> {
    const last = await this.#past.before(queueId);
    let state = last ? await restoreSnapshot(this.#queues, queueId, last.state) : noQueue;
    let { seq: kept, at } = last ?? { seq: 0, at: 0 };
    let marks: Mark[] = [];
    while (this.#rounds.isRunning) {
      const events = await this.#past.eventsAfter(queueId, state.seq, eventsAtOnce);
      marks.push(...marksOf(events, stopStateOf(state)).marks);
      for (const event of events) {
        state = evolve(state, event);
        at = Math.max(at, event.at);
      }
      if (state.seq - kept >= Math.max(eventsPerPastState, state.entries.size)) {
        const parts: string[] = [];
        for (const part of serializedParts(state)) {
          parts.push(part);
          await yieldToEventLoop();
        }
        const row = { seq: state.seq, at, marks: JSON.stringify({ marks, standing: stopStateOf(state) }) };
        await this.#past.put(queueId, { ...row, state: parts.join("") });
        kept = state.seq;
        marks = [];
      }
      if (events.length < eventsAtOnce) return;
      await yieldToEventLoop();
    }
  }
}
