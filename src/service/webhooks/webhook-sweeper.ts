import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { WebhookDeliveries } from "../../ports/webhooks/webhook-deliveries.ts";

const everyMs = 10 * 60_000;
/** A transaction of this many rows blocks others only briefly. */
const rowsAtOnce = 500;
const maxRounds = 200;
const parkedForMs = 30 * 24 * 60 * 60_000;

/**
 * Removes messages that were delivered a while ago, and parked messages that nobody has resent within a
 * month.
 */
export class WebhookSweeper {
  readonly #deliveries: WebhookDeliveries;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #deliveredForMs: number;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deliveries: WebhookDeliveries, clock: Clock, log: Logger, deliveredForMs: number) {
    this.#deliveries = deliveries;
    this.#clock = clock;
    this.#log = log;
    this.#deliveredForMs = deliveredForMs;
  }

  start(): void {
    if (this.#stopped) return;
    this.#round = this.sweep()
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, "could not remove old webhooks; trying again"),
      )
      .finally(() => {
        if (!this.#stopped) this.#timer = setTimeout(() => this.start(), everyMs);
      });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#round;
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now();
    for (let round = 0; round < maxRounds && !this.#stopped; round++) {
      const gone = await this.#deliveries.forget(now - this.#deliveredForMs, now - parkedForMs, rowsAtOnce);
      if (gone < rowsAtOnce) return;
    }
  }
}
