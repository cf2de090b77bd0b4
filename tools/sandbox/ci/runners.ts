import type { Account } from "../world/account.ts";

interface Pool {
  busy: number;
  /** In the order of their requests. */
  waiting: Set<() => void>;
}

/** The runners that all repositories of an owner share. */
export class Runners {
  readonly #limit: number;
  readonly #pools = new Map<Account, Pool>();

  /** @param limit number of runners of each owner */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls `begin` when a runner is free. Returns a function that returns the runner or stops waiting for one. */
  take(owner: Account, begin: () => void): () => void {
    const pool = this.#pools.get(owner) ?? { busy: 0, waiting: new Set() };
    this.#pools.set(owner, pool);
    let isBusy = false;
    const start = () => {
      isBusy = true;
      pool.busy += 1;
      begin();
    };
    if (pool.busy < this.#limit) start();
    else pool.waiting.add(start);
    return () => {
      pool.waiting.delete(start);
      if (!isBusy) return;
      isBusy = false;
      pool.busy -= 1;
      const [next] = pool.waiting;
      if (next === undefined) return;
      pool.waiting.delete(next);
      next();
    };
  }
}
