import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { RequestCountStore } from "../../store/replicas/request-count-store.ts";
import type { Replicas } from "../replicas/replicas.ts";

interface Count {
  readonly second: number;
  /** Requests to this replica. */
  used: number;
  /** How many of them were told to the other replicas. */
  told: number;
  /** Requests to other replicas, as far as known. */
  others: number;
}

/** A replica may not know the requests that others received within this time. */
const tellAfterMs = 100;
/** The maximum number of organisations that are counted at once. */
const mostKeys = 5_000;

/** Counts the requests of each organisation in the current second, over all replicas. */
export class RequestCounts {
  readonly #store: RequestCountStore;
  readonly #replicas: Pick<Replicas, "live">;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #counts = new Map<string, Count>();
  #timer: NodeJS.Timeout | null = null;

  constructor(store: RequestCountStore, replicas: Pick<Replicas, "live">, clock: Clock, log: Logger) {
    this.#store = store;
    this.#replicas = replicas;
    this.#clock = clock;
    this.#log = log;
  }

  /** Counts a request. Returns how many there were in this second, and the milliseconds that are left of it. */
  add(key: string): { readonly current: number; readonly ttl: number } {
    const now = this.#clock.now();
    const second = Math.floor(now / 1_000);
    let count = this.#counts.get(key);
    if (count?.second !== second) {
      if (this.#counts.size >= mostKeys) this.#counts.clear();
      count = { second, used: 0, told: 0, others: 0 };
      this.#counts.set(key, count);
    }
    count.used += 1;
    if (this.#replicas.live > 1) this.#timer ??= setTimeout(() => void this.#tell(), tellAfterMs).unref();
    return { current: count.used + count.others, ttl: 1_000 - (now % 1_000) };
  }

  async #tell(): Promise<void> {
    this.#timer = null;
    const second = Math.floor(this.#clock.now() / 1_000);
    const news = new Map<string, number>();
    for (const [key, count] of this.#counts) {
      if (count.second !== second) this.#counts.delete(key);
      else if (count.used > count.told) news.set(key, count.used - count.told);
    }
    if (news.size === 0) return;
    try {
      for (const [key, sum] of await this.#store.add(second, news)) {
        const count = this.#counts.get(key);
        if (count?.second !== second) continue;
        count.told += news.get(key) ?? 0;
        count.others = Math.max(count.others, sum - count.told);
      }
    } catch (error) {
      this.#log.warn(
        { err: error },
        "could not share the counts of requests; each replica counts alone meanwhile",
      );
    }
  }
}
