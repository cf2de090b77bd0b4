import { DatabaseSync } from "node:sqlite";
import { createDeflateRaw, type DeflateRaw } from "node:zlib";

/** Sees the work that no timer shows: statements of SQLite, and compression, which Node does on other threads. */
export class WorkWatch {
  /** Grows with each statement. */
  statements = 0;
  /** How many texts are being compressed or decompressed. */
  compressing = 0;

  /** Watches all work of this process until the returned function is called. */
  install(): () => void {
    const restore = [this.#watchStatements(), this.#watchCompression()];
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

  #watchCompression(): () => void {
    const streams = compressionStreams();
    const { end } = streams;
    const begun = () => {
      this.compressing += 1;
    };
    const ended = () => {
      this.compressing -= 1;
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
