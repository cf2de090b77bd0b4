import type { Clock, Logger } from "../../../ports/code-host/runtime.ts";
import type { TestEvaluationStore } from "../../../ports/tests/test-evaluation-store.ts";

const everyMs = 10 * 60_000;
/** A transaction of this many rows blocks others only briefly. */
const rowsAtOnce = 200;
const maxRounds = 500;

/** Removes test results after the retention period, and tests that have not run since. */
export class TestSweeper {
  readonly #store: Pick<TestEvaluationStore, "forget">;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #keptMs: number;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(store: Pick<TestEvaluationStore, "forget">, clock: Clock, log: Logger, keptMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#keptMs = keptMs;
  }

  start(): void {
    if (this.#stopped) return;
    this.#round = this.sweep()
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, "could not remove old results of tests; trying again"),
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
    const before = this.#clock.now() - this.#keptMs;
    for (let round = 0; round < maxRounds && !this.#stopped; round++)
      if ((await this.#store.forget(before, rowsAtOnce)) === 0) return;
  }
}
