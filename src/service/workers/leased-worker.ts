import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import { messageOf } from "./retry.ts";

/** Rows that are claimed under a lease: the outbox or the inbox. */
export interface LeasedRows<Row> {
  claim(claim: { owner: string; now: number; leaseMs: number; limit: number }): Promise<readonly Row[]>;
  renew(row: Row, leaseUntil: number): Promise<void>;
  nextDue(): Promise<number | null>;
}

export interface LeasedWorkerOptions<Row> {
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

/** The longest sleep of a worker, and so the delay of rows that another replica adds. */
const maxSleepMs = 5_000;

/**
 * A lease lasts at least this many times as long as the slowest recent write, up to `mostLeases` times `leaseMs`. Otherwise, while the
 * database is slow, workers would take each other's claims, and no work would end.
 */
const leaseWrites = 6;
const mostLeases = 10;
/** The factor that reduces the weight of the slowest write at each later write. */
const forgetting = 0.9;

/** Claims due rows and carries them out, until stopped. */
export class LeasedWorker<Row> {
  readonly #options: LeasedWorkerOptions<Row>;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  /** The duration of the slowest recent write. */
  #slowestMs = 0;
  /** Nothing is claimed before the start or after the stop. */
  #running = false;

  constructor(options: LeasedWorkerOptions<Row>) {
    this.#options = options;
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
    const { rows, owner, clock, concurrency, log, name } = this.#options;
    this.#again = false;
    try {
      const limit = concurrency - this.#underWay.size;
      // The worker is woken when a row in progress ends.
      if (limit <= 0) return;
      const now = clock.now();
      const claimed = await rows.claim({ owner, now, leaseMs: this.#leaseMs, limit });
      this.#noteWrite(now);
      for (const row of claimed) this.#start(row);
      this.#sleepUntil(await rows.nextDue());
    } catch (error) {
      log.error({ err: error, worker: name }, "could not claim work; trying again");
      this.#sleepUntil(null);
    }
  }

  #start(row: Row): void {
    const { log, name, execute } = this.#options;
    const stopRenewing = this.#renew(row);
    const work = execute(row)
      .catch((error: unknown) =>
        log.error(
          { err: error, worker: name, row },
          `work failed and will be done again: ${messageOf(error)}`,
        ),
      )
      .finally(() => {
        stopRenewing();
        this.#underWay.delete(work);
        this.wake();
      });
    this.#underWay.add(work);
  }

  /**
   * Renews a lease until the returned function is called. Each renewal waits for the one before, so that they do not make a slow database
   * slower.
   */
  #renew(row: Row): () => void {
    const { rows, clock, log, name } = this.#options;
    let timer: NodeJS.Timeout | null = null;
    const renewLater = () => {
      timer = setTimeout(async () => {
        const now = clock.now();
        try {
          await rows.renew(row, now + this.#leaseMs);
          this.#noteWrite(now);
        } catch (error) {
          log.warn({ err: error, worker: name }, "could not renew a lease");
        }
        if (timer !== null) renewLater();
      }, this.#leaseMs / 3);
    };
    renewLater();
    return () => {
      if (timer) clearTimeout(timer);
      timer = null;
    };
  }

  get #leaseMs(): number {
    const { leaseMs } = this.#options;
    return Math.round(Math.min(leaseMs + leaseWrites * this.#slowestMs, mostLeases * leaseMs));
  }

  #noteWrite(began: number): void {
    this.#slowestMs = Math.max(this.#options.clock.now() - began, this.#slowestMs * forgetting);
  }

  #sleepUntil(due: number | null): void {
    if (!this.#running) return;
    const ms = due === null ? maxSleepMs : Math.max(5, due - this.#options.clock.now());
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(ms, maxSleepMs));
  }
}
