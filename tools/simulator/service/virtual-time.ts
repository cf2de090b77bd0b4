import { DatabaseSync } from "node:sqlite";

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  /** A timer of the service, which dies with it. */
  readonly isOfService: boolean;
}

/** A life has some five thousand timers, and few rounds of the event loop at one time. */
const mostTimers = 500_000;
const mostRounds = 200_000;
/** Quiet rounds of the event loop after which nothing is under way any more. */
const quietRounds = 5;
const realImmediate = globalThis.setImmediate;
const nextRound = () => new Promise<void>((resolve) => realImmediate(resolve));

/**
 * Time that passes only when nothing is under way. Replaces the timers of this process while it is installed, so that a service
 * in it runs as fast as the processor permits, and in the same way every time.
 */
export class VirtualTime {
  readonly #planned = new Map<number, Planned>();
  #now: number;
  #order = 0;
  #rung = 0;
  /** Grows with everything that happens. */
  #activity = 0;

  /** @param startsAt in milliseconds since the epoch */
  constructor(startsAt: number) {
    this.#now = startsAt;
  }

  readonly now = (): number => this.#now;

  /** Calls a function after a time. It survives the service. */
  after(ms: number, run: () => void): void {
    this.#plan(ms, run, false);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Ends all timers of the service, as the death of its process does. */
  dropTimersOfService(): void {
    for (const [id, { isOfService }] of this.#planned) if (isOfService) this.#planned.delete(id);
  }

  /**
   * Runs until a condition holds. Returns false when it does not hold at the given time.
   *
   * @throws Error when something is repeated without end
   */
  async runUntil(holds: () => boolean, end: number): Promise<boolean> {
    for (;;) {
      await this.#settle();
      if (holds()) return true;
      const next = this.#next();
      if (next === null || next[1].at > end) return false;
      const [id, { at, run }] = next;
      this.#planned.delete(id);
      this.#rung += 1;
      if (this.#rung > mostTimers) throw new Error(`${mostTimers} timers have rung`);
      this.#now = Math.max(this.#now, at);
      run();
    }
  }

  /** Replaces the process's timers and its clock until the returned function is called. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const now = performance.now;
    const random = Math.random;
    const stopCounting = countStatements(() => {
      this.#activity += 1;
    });
    const plan = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
      timer(this.#plan(ms, () => run(...values), true));
    const repeat = (run: (...values: unknown[]) => void, ms = 1, ...values: unknown[]) => {
      const id = this.#plan(ms, again, true);
      const planAgain = () => this.#plan(ms, again, true, id);
      function again() {
        planAgain();
        run(...values);
      }
      return timer(id);
    };
    const end = (ended: unknown) => void this.#planned.delete(Number(ended));
    Object.assign(globalThis, {
      setTimeout: plan,
      setInterval: repeat,
      clearTimeout: end,
      clearInterval: end,
    });
    performance.now = () => this.#now;
    Math.random = () => 0.5;
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      performance.now = now;
      Math.random = random;
      stopCounting();
    };
  }

  #plan(ms: number, run: () => void, isOfService: boolean, again?: number): number {
    this.#order += 1;
    this.#activity += 1;
    const id = again ?? this.#order;
    this.#planned.set(id, {
      at: this.#now + Math.max(0, Math.ceil(ms)),
      order: this.#order,
      run,
      isOfService,
    });
    return id;
  }

  #next(): [number, Planned] | null {
    let first: [number, Planned] | null = null;
    for (const one of this.#planned) if (first === null || isBefore(one[1], first[1])) first = one;
    return first;
  }

  async #settle(): Promise<void> {
    let rounds = 0;
    for (let quiet = 0, seen = this.#activity; quiet < quietRounds; quiet++) {
      await nextRound();
      rounds += 1;
      if (rounds > mostRounds) throw new Error("something is repeated without end, and no time passes");
      if (this.#activity === seen) continue;
      seen = this.#activity;
      quiet = 0;
    }
  }
}

const isBefore = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Stands for what Node's `setTimeout` returns. */
function timer(id: number) {
  const self = { ref: () => self, unref: () => self, hasRef: () => true, [Symbol.toPrimitive]: () => id };
  return self;
}

/** Calls a function for each statement that SQLite executes. Returns what ends that. */
function countStatements(onStatement: () => void): () => void {
  const statements = Object.getPrototypeOf(new DatabaseSync(":memory:").prepare("select 1"));
  const { run, all } = statements;
  statements.run = function (...values: unknown[]) {
    onStatement();
    return run.apply(this, values);
  };
  statements.all = function (...values: unknown[]) {
    onStatement();
    return all.apply(this, values);
  };
  return () => Object.assign(statements, { run, all });
}
