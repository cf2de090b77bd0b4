import type { Writes } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";

interface Waiting<Row> {
  readonly rows: Row[];
  readonly written: Promise<void>;
}

/** Writes rows together that are added before the write begins, so that they share statements. */
export class SharedWrite<Row> {
  readonly #writes: Writes;
  readonly #write: (tx: Tx, rows: readonly Row[]) => Promise<unknown>;
  #waiting: Waiting<Row> | null = null;

  constructor(writes: Writes, write: (tx: Tx, rows: readonly Row[]) => Promise<unknown>) {
    this.#writes = writes;
    this.#write = write;
  }

  /** Resolves when the row is written. */
  async add(row: Row): Promise<void> {
    this.#waiting ??= this.#open();
    const { rows, written } = this.#waiting;
    rows.push(row);
    await written;
  }

  #open(): Waiting<Row> {
    const rows: Row[] = [];
    const close = () => {
      if (this.#waiting?.rows === rows) this.#waiting = null;
    };
    const written = this.#writes.run(async (tx) => {
      close();
      await this.#write(tx, rows);
    });
    // A transaction that cannot begin never runs its writes. Later rows must not wait for it.
    return { rows, written: written.finally(close) };
  }
}
