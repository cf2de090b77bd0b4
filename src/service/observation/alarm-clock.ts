import { nextDeadline } from "../../engine/deadline.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { QueueRuntime } from "../queue/queue-runtime.ts";
import { messageOf } from "../tasks/retry.ts";

/** The longest delay that Node's timers support. */
const maxDelayMs = 2 ** 31 - 1;

/** Wakes each queue when its next deadline comes. */
export class AlarmClock {
  readonly #runtime: QueueRuntime;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(runtime: QueueRuntime, clock: Clock, log: Logger) {
    this.#runtime = runtime;
    this.#clock = clock;
    this.#log = log;
    runtime.onCommit((_queueId, _events, state) => this.set(state));
  }

  set(state: QueueState): void {
    clearTimeout(this.#timers.get(state.id));
    this.#timers.delete(state.id);
    const deadline = nextDeadline(state);
    if (deadline === null || this.#stopped) return;
    const delay = Math.min(Math.max(0, deadline - this.#clock.now()), maxDelayMs);
    this.#timers.set(
      state.id,
      setTimeout(() => this.#ring(state.id), delay),
    );
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #ring(queueId: string): void {
    this.#runtime
      .dispatch(queueId, { type: "clock" })
      .then(({ events, state }) => {
        // Node may fire a timer a millisecond early, before anything is due.
        if (events.length === 0) this.set(state);
      })
      .catch((error: unknown) => {
        this.#log.error({ err: error, queueId }, `a deadline could not be handled: ${messageOf(error)}`);
        this.#timers.set(
          queueId,
          setTimeout(() => this.#ring(queueId), 5_000),
        );
      });
  }
}
