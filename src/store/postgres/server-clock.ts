import { sql } from "kysely";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Database } from "../sqlite/schema.ts";

/** How often the server is asked. Between two answers, the time is computed by a clock that cannot be set. */
const usualEveryMs = 10_000;
/** While the error may be larger than this, the server is asked again at once, up to `mostReadings` times. */
const exactMs = 20;
const mostReadings = 5;

const read = sql<{ ms: string }>`select extract(epoch from clock_timestamp()) * 1000 as ms`;

/**
 * The time of the database server, which all replicas share. A replica whose own clock is wrong would take the work of others
 * before their leases end, and act on deadlines too early or too late.
 */
export class ServerClock implements Clock {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #bounds: Bounds;

  private constructor(db: Database, bounds: Bounds, everyMs: number) {
    this.#db = db;
    this.#bounds = bounds;
    this.#timer = setInterval(() => void this.#readAgain(), everyMs).unref();
  }

  static async start(db: Database, everyMs = usualEveryMs): Promise<ServerClock> {
    return new ServerClock(db, await measure(db, null), everyMs);
  }

  /** A function of its own, because parts of the service are given only this function. */
  readonly now = (): number =>
    Math.floor(performance.now() + (this.#bounds.earliest + this.#bounds.latest) / 2);

  stop(): void {
    clearInterval(this.#timer);
  }

  async #readAgain(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      this.#bounds = await measure(this.#db, this.#bounds);
    } catch {
      // The time continues without the server. Other parts report that the database fails.
    } finally {
      this.#isReading = false;
    }
  }
}

async function measure(db: Database, known: Bounds | null): Promise<Bounds> {
  let bounds = known;
  for (let reading = 0; reading < mostReadings; reading++) {
    const askedAt = performance.now();
    const { rows } = await read.execute(db);
    const measured = boundsOf({ askedAt, serverTime: Number(rows[0]?.ms), answeredAt: performance.now() });
    bounds = bounds ? refine(bounds, measured) : measured;
    if (widthOf(bounds) <= exactMs) break;
  }
  if (!bounds) throw new Error("The server's time was not read.");
  return bounds;
}

/** The server's time minus `performance.now()`, in milliseconds, is at least `earliest` and at most `latest`. */
export interface Bounds {
  readonly earliest: number;
  readonly latest: number;
  /** When the last answer came, by `performance.now()`. */
  readonly at: number;
}

/** How far two clocks may move apart in a millisecond while both are being adjusted: twice the 500 ppm of Linux. */
const drift = 0.001;

/** Returns the bounds that one answer gives. It may have been delayed on the way to the server or on the way back. */
export function boundsOf(answer: { askedAt: number; serverTime: number; answeredAt: number }): Bounds {
  const { askedAt, serverTime, answeredAt } = answer;
  return { earliest: serverTime - answeredAt, latest: serverTime - askedAt, at: answeredAt };
}

/** Returns the bounds after another answer. A slow answer gives wide bounds, which do not widen the known ones. */
export function refine(known: Bounds, measured: Bounds): Bounds {
  const moved = (measured.at - known.at) * drift;
  const earliest = Math.max(known.earliest - moved, measured.earliest);
  const latest = Math.min(known.latest + moved, measured.latest);
  // Both cannot be true: a clock was set.
  return earliest > latest ? measured : { earliest, latest, at: measured.at };
}

export function widthOf({ earliest, latest }: Bounds): number {
  return latest - earliest;
}
