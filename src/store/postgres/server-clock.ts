import { sql } from "kysely";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Database } from "../sqlite/schema.ts";

/** How often the server is asked. Between two answers, a clock counts that cannot be set. */
const everyMs = 10_000;
/** An answer that took longer does not tell the time well enough. */
const longestMs = 1_000;

const read = sql<{ ms: string }>`select floor(extract(epoch from clock_timestamp()) * 1000) as ms`;

/**
 * The time of the database server, which all replicas share. A replica whose own clock is wrong would take the work of others
 * before their leases end, and act on deadlines too early or too late.
 */
export class ServerClock implements Clock {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  /** The server's time minus `performance.now()`. */
  #offsetMs: number;

  private constructor(db: Database, offsetMs: number) {
    this.#db = db;
    this.#offsetMs = offsetMs;
    this.#timer = setInterval(() => void this.#readAgain(), everyMs).unref();
  }

  static async start(db: Database): Promise<ServerClock> {
    const { offsetMs } = await measure(db);
    return new ServerClock(db, offsetMs);
  }

  /** Parts of the service take the function alone. */
  readonly now = (): number => Math.floor(performance.now() + this.#offsetMs);

  stop(): void {
    clearInterval(this.#timer);
  }

  async #readAgain(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const { offsetMs, tookMs } = await measure(this.#db);
      if (tookMs <= longestMs) this.#offsetMs = offsetMs;
    } catch {
      // The time goes on without the server. What needs the database reports that it fails.
    } finally {
      this.#isReading = false;
    }
  }
}

async function measure(db: Database): Promise<{ offsetMs: number; tookMs: number }> {
  const asked = performance.now();
  const { rows } = await read.execute(db);
  const tookMs = performance.now() - asked;
  return { offsetMs: Number(rows[0]?.ms) - asked - tookMs / 2, tookMs };
}
