import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { WebhookDeliveries } from "../../store/webhooks/webhook-deliveries.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";

const everyMs = 10 * 60_000;
/** A transaction of this many rows blocks others only briefly. */
const rowsAtOnce = 500;
const maxRounds = 200;
const parkedForMs = 30 * 24 * 60 * 60_000;

/** Removes messages that were delivered some time ago, and parked messages that nobody has resent within a month. */
export class WebhookSweeper {
  readonly #deliveries: WebhookDeliveries;
  readonly #clock: Clock;
  readonly #deliveredForMs: number;
  readonly #rounds: PeriodicTask;
  #stopped = false;

  constructor(deliveries: WebhookDeliveries, clock: Clock, log: Logger, deliveredForMs: number) {
    this.#deliveries = deliveries;
    this.#clock = clock;
    this.#deliveredForMs = deliveredForMs;
    const purpose = "remove old webhooks";
    this.#rounds = new PeriodicTask({ run: () => this.sweep(), everyMs, purpose, log, level: "warn" });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#rounds.stop();
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now();
    for (let round = 0; round < maxRounds && !this.#stopped; round++) {
      const gone = await this.#deliveries.forget(now - this.#deliveredForMs, now - parkedForMs, rowsAtOnce);
      if (gone < rowsAtOnce) return;
    }
  }
}
