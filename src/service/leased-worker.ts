import type { Clock, Logger } from "../ports/code-host/runtime.ts";
import { messageOf } from "./tasks/retry.ts";

/** Rows that are claimed under a lease: the outbox or the inbox. */
export interface LeasedRows<Row> {
  claim(claim: { owner: string; now: number; leaseMs: number; limit: number }): Promise<readonly Row[]>;
  renew(row: Row, leaseUntil: number): Promise<void>;
  nextDue(): Promise<number | null>;
}

export interface LeasedWorkerParts<Row> {
  readonly name: string;
  readonly owner: string;
  readonly rows: LeasedRows<Row>;
  /**
   * Carries out a row, and settles or postpones it. Errors that it throws are logged, and the row is due
   * again when its lease ends.
   */
  readonly execute: (row: Row) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseMs: number;
  readonly concurrency: number;
}

/** The longest sleep of a worker. Rows that another replica adds are only found this way. */
const maxSleepMs = 5_000;

/** Claims due rows and carries them out, until stopped. */
export class LeasedWorker<Row> {
  readonly #parts: LeasedWorkerParts<Row>;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  /** Nothing is claimed before the start or after the stop. */
  #running = false;

  constructor(parts: LeasedWorkerParts<Row>) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = true;
    this.wake();
  }

  /** Looks for due rows now. */
  wake(): void {
    if (!this.#running) return;
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = null;
      if (this.#again) this.wake();
    });
  }

  /** Claims nothing more, and waits for the work in progress. */
  async stop(): Promise<void> {
    this.#running = false;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#claiming;
    await Promise.all(this.#underWay);
  }

  async #claimAll(): Promise<void> {
    const { rows, owner, clock, leaseMs, concurrency, log, name } = this.#parts;
    this.#again = false;
    try {
      const limit = concurrency - this.#underWay.size;
      // Whatever ends next wakes this worker.
      if (limit <= 0) return;
      const claimed = await rows.claim({ owner, now: clock.now(), leaseMs, limit });
      for (const row of claimed) this.#start(row);
      this.#sleepUntil(await rows.nextDue());
    } catch (error) {
      log.error({ err: error, worker: name }, "could not claim work; trying again");
      this.#sleepUntil(null);
    }
  }

  #start(row: Row): void {
    const { leaseMs, rows, clock, log, name, execute } = this.#parts;
    const renewal = setInterval(() => {
      rows
        .renew(row, clock.now() + leaseMs)
        .catch((error: unknown) => log.warn({ err: error, worker: name }, "could not renew a lease"));
    }, leaseMs / 3);
    const work = execute(row)
      .catch((error: unknown) =>
        log.error(
          { err: error, worker: name, row },
          `work failed and will be done again: ${messageOf(error)}`,
        ),
      )
      .finally(() => {
        clearInterval(renewal);
        this.#underWay.delete(work);
        this.wake();
      });
    this.#underWay.add(work);
  }

  #sleepUntil(due: number | null): void {
    if (!this.#running) return;
    const ms = due === null ? maxSleepMs : Math.max(5, due - this.#parts.clock.now());
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(ms, maxSleepMs));
  }
}
