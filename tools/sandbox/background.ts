/**
 * Work that the sandbox does later: mergeability, CI, indirect merges, deliveries. Closing cancels what has
 * not begun and waits for what has, so that no timer or child process outlives the sandbox.
 */
export class Background {
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #held = new Set<Promise<unknown>>();
  readonly #waiters = new Set<() => void>();
  readonly #onFailure: (error: unknown) => void;
  readonly #closing = new AbortController();

  /** @param onFailure is told of each task that throws; nobody else would hear of it. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Runs `task` in `milliseconds`, unless the sandbox closes before, or the answer is called. */
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

  /** Runs `task` now, without anybody waiting for it. */
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

  /** Runs work for a caller who waits for it. Closing waits for it, too, and rejects what comes later. */
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

  /** Resolves once nothing is planned or running. */
  whenIdle(): Promise<void> {
    if (this.idle) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  /** Aborts when the sandbox closes, so that work under way can end early. */
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
