import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import timersPromises from "node:timers/promises";
import timers from "node:timers/promises";
import { createDeflateRaw, type DeflateRaw } from "node:zlib";
import { VirtualProcess } from "./virtual-replicas.ts";

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  /** The process that waits; null = the world. */
  readonly owner: VirtualProcess | null;
}

/** A life has about five thousand timers, and few rounds of the event loop at the same time. */
const mostTimers = 500_000;
const mostRounds = 200_000;
const realImmediate = globalThis.setImmediate;
const nextRound = () => new Promise<void>((resolve) => realImmediate(resolve));

/**
 * Time that passes only when no work is in progress. Replaces the timers of this process while it is installed, so that a service in it
 * runs as fast as the processor permits, and always in the same way.
 */
export class VirtualTime {
  readonly #planned = new Map<number, Planned>();
  readonly #work = new WorkWatch();
  /** In milliseconds since the epoch. */
  readonly startsAt: number;
  #now: number;
  #order = 0;
  #rung = 0;

  constructor(startsAt: number) {
    this.startsAt = startsAt;
    this.#now = startsAt;
  }

  readonly now = (): number => this.#now;

  /** Calls a function after a time. No process owns this timer, so it survives all of them. */
  after(ms: number, run: () => void): void {
    this.#plan(ms, run, null);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  async untilAwake(process: VirtualProcess): Promise<void> {
    while (process.suspendedUntil > this.#now) await this.pause(process.suspendedUntil - this.#now);
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
      this.#ring(...next);
    }
  }

  #ring(id: number, planned: Planned): void {
    const { at, run, owner } = planned;
    this.#planned.delete(id);
    if (owner?.isAlive === false) return;
    if (owner && owner.suspendedUntil > at) {
      this.#planned.set(id, { ...planned, at: owner.suspendedUntil });
      return;
    }
    this.#rung += 1;
    if (this.#rung > mostTimers) throw new Error(`${mostTimers} timers have rung`);
    this.#now = Math.max(this.#now, at);
    if (owner) owner.run(run);
    else run();
  }

  /** Replaces the process's timers and its clock until the returned function is called. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const now = performance.now;
    const random = Math.random;
    const stopWatching = this.#work.install();
    const plan = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
      timer(this.#plan(ms, () => run(...values), VirtualProcess.current()));
    const repeat = (run: (...values: unknown[]) => void, ms = 1, ...values: unknown[]) => {
      const owner = VirtualProcess.current();
      const id = this.#plan(ms, again, owner);
      const planAgain = () => this.#plan(ms, again, owner, id);
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
    const { setTimeout: sleep } = timersPromises;
    timersPromises.setTimeout = <T>(ms?: number, value?: T) =>
      new Promise<T>((resolve) => plan(() => resolve(value as T), ms));
    syncBuiltinESMExports();
    performance.now = () => this.#now;
    Math.random = () => 0.5;
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      timersPromises.setTimeout = sleep;
      syncBuiltinESMExports();
      performance.now = now;
      Math.random = random;
      stopWatching();
    };
  }

  #plan(ms: number, run: () => void, owner: VirtualProcess | null, again?: number): number {
    this.#order += 1;
    const id = again ?? this.#order;
    this.#planned.set(id, {
      at: this.#now + Math.max(0, Math.ceil(ms)),
      order: this.#order,
      run,
      owner,
    });
    return id;
  }

  #next(): [number, Planned] | null {
    let first: [number, Planned] | null = null;
    for (const one of this.#planned) if (first === null || isBefore(one[1], first[1])) first = one;
    return first;
  }

  async #settle(): Promise<void> {
    for (let seen = -1, rounds = 0; seen !== this.#activity() || this.#work.isPending; ) {
      if (rounds > mostRounds) throw new Error("something is repeated without end, and no time passes");
      if (!this.#work.isCompressing) rounds += 1;
      seen = this.#activity();
      await nextRound();
    }
  }

  /** A number that grows with all activity. */
  #activity(): number {
    return this.#order + this.#work.statements;
  }
}

const isBefore = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Replaces the result of Node's `setTimeout`. */
function timer(id: number) {
  const self = { ref: () => self, unref: () => self, hasRef: () => true, [Symbol.toPrimitive]: () => id };
  return self;
}

/**
 * Detects the work that no timer shows: statements of SQLite, functions for the next round of the event loop, and compression, which Node
 * does on other threads.
 */
export class WorkWatch {
  /** Grows with each statement. */
  statements = 0;
  /** The number of texts that are being compressed or decompressed. */
  #compressing = 0;
  /** The number of functions that wait for the next round of the event loop. */
  #immediates = 0;

  /** Whether work will continue although no statement runs and no timer is due. */
  get isPending(): boolean {
    return this.isCompressing || this.#immediates > 0;
  }

  /** Whether another thread works. On a busy machine, that may take any number of rounds of the event loop. */
  get isCompressing(): boolean {
    return this.#compressing > 0;
  }

  /** Watches all work of this process until the returned function is called. */
  install(): () => void {
    const restore = [this.#watchStatements(), this.#watchCompression(), this.#watchImmediates()];
    return () => {
      for (const end of restore) end();
    };
  }

  #watchStatements(): () => void {
    const statements = Object.getPrototypeOf(new DatabaseSync(":memory:").prepare("select 1"));
    const { run, all } = statements;
    const count = () => {
      this.statements += 1;
    };
    statements.run = function (...values: unknown[]) {
      count();
      return run.apply(this, values);
    };
    statements.all = function (...values: unknown[]) {
      count();
      return all.apply(this, values);
    };
    return () => Object.assign(statements, { run, all });
  }

  #watchImmediates(): () => void {
    const { setImmediate } = globalThis;
    const { setImmediate: nextRound } = timers;
    const counted = (run: (...values: unknown[]) => void, ...values: unknown[]) => {
      this.#immediates += 1;
      return setImmediate(() => {
        this.#immediates -= 1;
        run(...values);
      });
    };
    const counting = <T>(value?: T) =>
      new Promise<T | undefined>((resolve) => void counted(() => resolve(value)));
    Object.assign(globalThis, { setImmediate: counted });
    Object.assign(timers, { setImmediate: counting });
    syncBuiltinESMExports();
    return () => {
      Object.assign(globalThis, { setImmediate });
      Object.assign(timers, { setImmediate: nextRound });
      syncBuiltinESMExports();
    };
  }

  #watchCompression(): () => void {
    const streams = compressionStreams();
    const { end } = streams;
    const begun = () => {
      this.#compressing += 1;
    };
    const ended = () => {
      this.#compressing -= 1;
    };
    streams.end = function (this: DeflateRaw, ...values: unknown[]) {
      begun();
      this.once("close", ended);
      return Reflect.apply(end, this, values);
    };
    return () => {
      Reflect.deleteProperty(streams, "end");
    };
  }
}

/** The prototype of all streams of `node:zlib`, on which its functions with a callback are built. */
function compressionStreams(): DeflateRaw {
  let prototype = Object.getPrototypeOf(createDeflateRaw());
  while (prototype.constructor.name !== "ZlibBase") prototype = Object.getPrototypeOf(prototype);
  return prototype;
}
