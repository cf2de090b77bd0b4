import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { HistoryStore } from "../../ports/history-store.ts";
import { PeriodicTask } from "../periodic-task.ts";

const everyMs = 60 * 60_000;
/** A transaction of this many rows blocks others only briefly. */
const rowsAtOnce = 200;

/** Removes what is kept about pull requests that ended long ago. */
export class HistorySweeper {
  readonly #history: HistoryStore;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #rounds: PeriodicTask;

  constructor(history: HistoryStore, clock: Clock, log: Logger, keptMs: number) {
    this.#history = history;
    this.#clock = clock;
    this.#keptMs = keptMs;
    const purpose = "remove old pull requests and test runs";
    this.#rounds = new PeriodicTask({ run: () => this.#sweep(), everyMs, purpose, log, level: "warn" });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #sweep(): Promise<void> {
    const before = this.#clock.now() - this.#keptMs;
    while (this.#rounds.isRunning) if ((await this.#history.forget(before, rowsAtOnce)) === 0) return;
  }
}
