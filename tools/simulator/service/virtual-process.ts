import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<VirtualProcess>();

/** A process of the simulation. The timers and calls that begin in it belong to it, and end with it. */
export class VirtualProcess {
  readonly #death = Promise.withResolvers<void>();
  /** Resolves when the process ends. */
  readonly died = this.#death.promise;
  isAlive = true;
  /** Until then it does nothing, as on a machine that is suspended. In milliseconds since the epoch. */
  suspendedUntil = 0;

  /** The process in which this code runs; null = none, it belongs to the world. */
  static current(): VirtualProcess | null {
    return current.getStore() ?? null;
  }

  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  die(): void {
    this.isAlive = false;
    this.#death.resolve();
  }
}

/** What each process keeps in memory. A new process begins without it. */
export function perProcess<T>(begin: () => T): () => T {
  const outside = {};
  const memories = new WeakMap<object, T>();
  return () => {
    const process = VirtualProcess.current() ?? outside;
    const known = memories.get(process);
    if (known !== undefined) return known;
    const begun = begin();
    memories.set(process, begun);
    return begun;
  };
}
