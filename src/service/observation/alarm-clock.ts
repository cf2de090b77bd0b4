import { nextDeadline } from "../../engine/deadline.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { messageOf } from "../workers/retry.ts";
import type { TimeoutReadings } from "./timeout-readings.ts";

/** The longest delay that Node's timers support. */
const maxDelayMs = 2 ** 31 - 1;

/** When to ring again if something could not be read yet that is about to time out. */
const againMs = 5_000;

/** Wakes each queue when its next deadline comes. */
export class AlarmClock {
  readonly #runtime: QueueRuntime;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #timeouts: Pick<TimeoutReadings, "isDone">;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(
    runtime: QueueRuntime,
    timeouts: Pick<TimeoutReadings, "isDone">,
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#runtime = runtime;
    this.#timeouts = timeouts;
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
      setTimeout(() => void this.#ring(state.id), delay),
    );
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #ring(queueId: string): Promise<void> {
    try {
      if (!(await this.#timeouts.isDone(queueId))) return this.#ringAgain(queueId);
      // The readings may have outlasted the service.
      if (this.#stopped) return;
      const { events, state } = await this.#runtime.dispatch(queueId, { type: "clock" });
      // Node may fire a timer a millisecond early, before anything is due.
      if (events.length === 0) this.set(state);
    } catch (error) {
      if (this.#stopped) return;
      this.#log.error({ err: error, queueId }, `a deadline could not be handled: ${messageOf(error)}`);
      this.#ringAgain(queueId);
    }
  }

  #ringAgain(queueId: string): void {
    if (this.#stopped) return;
    clearTimeout(this.#timers.get(queueId));
    this.#timers.set(
      queueId,
      setTimeout(() => void this.#ring(queueId), againMs),
    );
  }
}
