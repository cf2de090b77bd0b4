import type { Clock } from "../../../ports/code-host/runtime.ts";
import { PeriodicTask } from "../../../service/workers/periodic-task.ts";
import type { TestEvaluationStore } from "../../store/history/test-evaluation-store.ts";
import type { TestContext } from "../test-context.ts";

const everyMs = 10 * 60_000;
/** A transaction of this many rows blocks others only briefly. */
const rowsAtOnce = 200;
const maxRounds = 500;

type SweepOptions = Pick<TestContext, "stores" | "clock" | "log" | "retentionMs">;

/** Removes test results after the retention period, and tests that have not run since. */
export class TestSweeper {
  readonly #store: Pick<TestEvaluationStore, "forget">;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #rounds: PeriodicTask;
  #stopped = false;

  constructor({ stores, clock, log, retentionMs }: SweepOptions) {
    this.#store = stores.testEvaluations;
    this.#clock = clock;
    this.#keptMs = retentionMs;
    const purpose = "remove old results of tests";
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
    const before = this.#clock.now() - this.#keptMs;
    for (let round = 0; round < maxRounds && !this.#stopped; round++)
      if ((await this.#store.forget(before, rowsAtOnce)) === 0) return;
  }
}
