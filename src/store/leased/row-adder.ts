import { inChunks } from "../queries/in-chunks.ts";
import { Prepared } from "../queries/prepared.ts";
import { PreparedRows } from "../queries/prepared-rows.ts";
import type { Tx } from "../sqlite/schema.ts";
import type { DeadRows } from "./dead-rows.ts";
import { isFoldable, type LastRow, type NewRow } from "./leased-row.ts";

type Table = "outbox" | "inbox";

/** Adds rows to a table of leased rows, several with each statement. */
export class RowAdder {
  readonly #table: Table;
  readonly #dead: DeadRows;
  readonly #lastOf: ReturnType<typeof lastOf>;
  readonly #insert: ReturnType<typeof insert>;

  constructor(table: Table, dead: DeadRows) {
    this.#table = table;
    this.#dead = dead;
    this.#lastOf = lastOf(table);
    this.#insert = insert(table);
  }

  /**
   * Adds rows at the ends of their streams, in order, or merges them into equal ones that wait there if both coalesce. Equal neighbours of
   * a stream must have been merged.
   */
  async add(tx: Tx, rows: readonly NewRow[]): Promise<void> {
    const inserted: InsertedRow[] = [];
    const lasts = await this.#lasts(tx, [...new Set(rows.map(({ stream }) => stream))]);
    const streams = new Set<string>();
    for (const row of rows) {
      const isFirstOfThese = !streams.has(row.stream);
      streams.add(row.stream);
      const last = isFirstOfThese ? lasts.get(row.stream) : undefined;
      if (last && row.coalesce && isFoldable(last, row.content)) await this.#hasten(tx, row, last);
      else inserted.push(insertedRow(row, isFirstOfThese && last === undefined));
    }
    await this.#insert.run(tx, inserted);
    for (const { notBefore } of inserted) this.#dead.madeDue(tx, notBefore);
  }

  async #lasts(tx: Tx, streams: readonly string[]): Promise<ReadonlyMap<string, LastRow>> {
    const fromId = this.#dead.of(tx).id;
    const found: LastRow[] = [];
    const [stream] = streams;
    if (stream !== undefined && streams.length === 1)
      found.push(...(await this.#lastOf.run(tx, { stream, fromId })).rows);
    else
      for (const chunk of inChunks(streams)) found.push(...(await lastsOf(tx, this.#table, chunk, fromId)));
    return new Map(found.map((row) => [row.stream, row]));
  }

  /** Makes an equal waiting row due earlier, instead of adding a second one. */
  async #hasten(tx: Tx, { notBefore }: NewRow, last: LastRow): Promise<void> {
    if (notBefore >= last.not_before) return;
    await tx
      .updateTable(this.#table)
      .set({
        not_before: notBefore,
        wanted_at: notBefore,
        due_at: last.due_at === null ? null : notBefore,
      })
      .where("id", "=", last.id)
      .execute();
    this.#dead.madeDue(tx, notBefore);
  }
}

const lastColumns = ["id", "stream", "content", "coalesces", "lease_until", "not_before", "due_at"] as const;

/** The last row of a stream. `fromId`: no row has a smaller id. */
function lastOf(table: Table) {
  return new Prepared((db, at: { readonly stream: string; readonly fromId: number }) =>
    db
      .selectFrom(table)
      .select(lastColumns)
      .where("stream", "=", at.stream)
      .where("id", ">=", at.fromId)
      .orderBy("id", "desc")
      .limit(1),
  );
}

function lastsOf(tx: Tx, table: Table, streams: readonly string[], fromId: number): Promise<LastRow[]> {
  const ids = tx
    .selectFrom(table)
    .select((row) => row.fn.max("id").as("last"))
    .where("stream", "in", streams)
    .where("id", ">=", fromId)
    .groupBy("stream");
  return tx.selectFrom(table).select(lastColumns).where("id", "in", ids).execute();
}

interface InsertedRow {
  readonly stream: string;
  readonly content: string;
  readonly coalesces: 0 | 1;
  readonly notBefore: number;
  readonly dueAt: number | null;
}

/** Only the first row of a stream is due. */
function insertedRow({ stream, content, coalesce, notBefore }: NewRow, isFirst: boolean): InsertedRow {
  return { stream, content, coalesces: coalesce ? 1 : 0, notBefore, dueAt: isFirst ? notBefore : null };
}

function insert(table: Table) {
  return new PreparedRows((db, rows: readonly InsertedRow[]) =>
    db.insertInto(table).values(
      rows.map(({ stream, content, coalesces, notBefore, dueAt }) => ({
        ...{ stream, content, coalesces, due_at: dueAt },
        ...{ not_before: notBefore, wanted_at: notBefore },
      })),
    ),
  );
}
