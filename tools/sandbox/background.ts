/**
 * Work that the sandbox does later: mergeability, CI, indirect merges, deliveries. Closing cancels work that has not begun and
 * waits for the rest, so no timer or child process outlives the sandbox.
 */
export class Background {
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #held = new Set<Promise<unknown>>();
  readonly #waiters = new Set<() => void>();
  readonly #onFailure: (error: unknown) => void;
  readonly #closing = new AbortController();

  /** @param onFailure receives the error of each task that throws; no caller waits for these tasks */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Runs `task` in `milliseconds`, unless the sandbox closes first. Returns a function that cancels the timer. */
  after(milliseconds: number, task: () => Promise<void> | void): () => void {
    if (this.#closed) return () => {};
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.run(task);
    }, milliseconds);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      if (this.#timers.delete(timer)) this.#announceIdle();
    };
  }

  /** Runs `task` now. No caller waits for it. */
  run(task: () => Promise<void> | void): void {
    if (this.#closed) return;
    const running: Promise<void> = Promise.resolve()
      .then(task)
      .catch((error: unknown) => {
        if (!this.#closed) this.#onFailure(error);
      })
      .then(() => {
        this.#running.delete(running);
        this.#announceIdle();
      });
    this.#running.add(running);
  }

  /** Runs work for a caller that waits for it. Closing waits for this work, too, and rejects later calls. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.closing.throwIfAborted();
    const held = work();
    this.#held.add(held);
    try {
      return await held;
    } finally {
      this.#held.delete(held);
    }
  }

  get idle(): boolean {
    return this.#timers.size === 0 && this.#running.size === 0;
  }

  /** Resolves once no task is planned or running. */
  whenIdle(): Promise<void> {
    if (this.idle) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  /** Aborts when the sandbox closes, so that running work can end early. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#running);
    await Promise.allSettled(this.#held);
    this.#announceIdle();
  }

  #announceIdle(): void {
    if (!this.idle) return;
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }
}
