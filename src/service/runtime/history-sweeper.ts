import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { HistoryStore } from "../../store/queue/history-store.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";

const everyMs = 60 * 60_000;
/** No pull request is queued for longer, so older events are rarely read. */
const archivedAfterMs = 30 * 86_400_000;
/** A transaction of this many rows blocks others only briefly. */
const rowsAtOnce = 200;

/** Removes what is kept about pull requests that ended long ago, and compresses old events. */
export class HistorySweeper {
  readonly #history: HistoryStore;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #rounds: PeriodicTask;

  constructor(history: HistoryStore, clock: Clock, log: Logger, keptMs: number) {
    this.#history = history;
    this.#clock = clock;
    this.#keptMs = keptMs;
    const purpose = "remove old pull requests and test runs, and archive old events";
    this.#rounds = new PeriodicTask({ run: () => this.#sweep(), everyMs, purpose, log, level: "warn" });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.now();
    while (this.#rounds.isRunning)
      if ((await this.#history.forget(now - this.#keptMs, rowsAtOnce)) === 0) break;
    for (const queueId of await this.#history.queueIds())
      while (this.#rounds.isRunning && (await this.#history.archiveEvents(queueId, now - archivedAfterMs)));
  }
}
