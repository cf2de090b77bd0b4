import type { Compilable } from "kysely";
import type { Database } from "../sqlite/schema.ts";
import { Prepared } from "./prepared.ts";

/** A statement exists for each of these numbers of rows. Most writes have few rows, and so take one statement. */
const sizes = [64, 32, ...Array.from({ length: 16 }, (_, index) => 16 - index)];

/**
 * A prepared statement that writes several rows. On PostgreSQL each statement is a round trip, during which no other process can
 * write.
 */
export class PreparedRows<Row extends object> {
  readonly #bySize: ReadonlyMap<number, Prepared<Record<string, unknown>, unknown>>;

  /** @param build must use its rows only as values of the query. It is called once for each database and number of rows. */
  constructor(build: (db: Database, rows: readonly Row[]) => Compilable<unknown>) {
    const of = (size: number) =>
      new Prepared((db, slots: Record<string, unknown>) =>
        build(
          db,
          Array.from({ length: size }, (_, index) => rowOf<Row>(slots, index)),
        ),
      );
    this.#bySize = new Map(sizes.map((size) => [size, of(size)]));
  }

  /** Writes the rows in order, with as few statements as possible. Returns how many rows were inserted or changed. */
  async run(db: Database, rows: readonly Row[]): Promise<number> {
    let changed = 0n;
    let from = 0;
    for (const size of sizes) {
      const statement = this.#bySize.get(size);
      for (; statement && rows.length - from >= size; from += size) {
        const { numAffectedRows } = await statement.run(db, valuesOf(rows.slice(from, from + size)));
        changed += numAffectedRows ?? 0n;
      }
    }
    return Number(changed);
  }
}

/** Stands for a row while a statement is built: each property is the placeholder of its name and the row's index. */
function rowOf<Row extends object>(slots: Record<string, unknown>, index: number): Row {
  return new Proxy({} as Row, { get: (_, name) => slots[`${String(name)} ${index}`] });
}

function valuesOf(rows: readonly object[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [index, row] of rows.entries())
    for (const [name, value] of Object.entries(row)) values[`${name} ${index}`] = value;
  return values;
}
