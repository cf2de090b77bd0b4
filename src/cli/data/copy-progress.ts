import type { CopyListener } from "../../store/copy/copy-database.ts";
import type { TableDigest } from "../../store/copy/digest-table.ts";

const everyMs = 200;

/** Shows how far a copy is: in one line of a terminal, or in one line for each table. */
export class CopyProgress implements CopyListener {
  readonly #stream: NodeJS.WriteStream;
  #shownAt = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  began(how: "new" | "continued"): void {
    if (how === "continued") this.#print("continuing an interrupted copy");
  }

  copied(table: string, rows: number, total: number): void {
    const text = `${table}: ${rows} of ${total} rows`;
    if (!this.#stream.isTTY) {
      if (rows === total && total > 0) this.#print(text);
      return;
    }
    if (rows < total && performance.now() - this.#shownAt < everyMs) return;
    this.#shownAt = performance.now();
    this.#stream.write(`\r\x1b[K${text}`);
  }

  verified(table: string, { rows, sha256 }: TableDigest): void {
    if (rows > 0) this.#print(`${table}: ${rows} rows are equal (sha256 ${sha256.slice(0, 12)})`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\x1b[K");
  }

  #print(line: string): void {
    this.#stream.write(`${this.#stream.isTTY ? "\r\x1b[K" : ""}${line}\n`);
  }
}
