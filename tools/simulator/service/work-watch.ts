import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import timers from "node:timers/promises";
import { createDeflateRaw, type DeflateRaw } from "node:zlib";

/**
 * Sees the work that no timer shows: statements of SQLite, what waits for the next round of the event loop, and compression, which
 * Node does on other threads.
 */
export class WorkWatch {
  /** Grows with each statement. */
  statements = 0;
  /** How many texts are being compressed or decompressed. */
  #compressing = 0;
  /** How many functions wait for the next round of the event loop. */
  #immediates = 0;

  /** Whether something will continue although no statement runs and no timer rings. */
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
