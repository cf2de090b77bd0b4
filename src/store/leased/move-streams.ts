import { sql } from "kysely";
import { inChunks } from "../queries/in-chunks.ts";
import type { Tx } from "../sqlite/schema.ts";
import type { NewRow } from "./leased-row.ts";

export interface StreamMove {
  /** The prefixes of the streams' names, before and after. */
  readonly from: string;
  readonly to: string;
  /** Returns the new content of a row. */
  readonly contentOf: (content: string, id: number) => string;
}

/**
 * Renames streams and changes the contents of their rows. A leased row stays leased, but its worker has read the earlier content. So the
 * function returns a copy of each leased coalescing row, which the caller adds behind it.
 */
export async function moveStreams(
  tx: Tx,
  table: "outbox" | "inbox",
  { from, to, contentOf }: StreamMove,
): Promise<readonly NewRow[]> {
  const rows = await tx
    .selectFrom(table)
    .select(["id", "stream", "content", "coalesces", "not_before", "lease_until"])
    .where("stream", ">=", from)
    .where("stream", "<", `${from}\u{10ffff}`)
    .orderBy("id")
    .execute();
  const moved = rows.map(({ stream, content, ...row }) => ({
    ...row,
    stream: to + stream.slice(from.length),
    content: contentOf(content, row.id),
  }));
  for (const chunk of inChunks(moved, 64)) await writeMoved(tx, table, chunk);
  const streams = [...new Set(moved.map(({ stream }) => stream))];
  for (const chunk of inChunks(streams)) await keepFirstDue(tx, table, chunk);
  return moved
    .filter(({ coalesces, lease_until }) => coalesces === 1 && lease_until !== null)
    .map(({ stream, content, not_before }) => ({ stream, content, notBefore: not_before, coalesce: true }));
}

async function writeMoved(
  tx: Tx,
  table: "outbox" | "inbox",
  rows: readonly { readonly id: number; readonly stream: string; readonly content: string }[],
): Promise<void> {
  const byId = (of: (row: (typeof rows)[number]) => string) =>
    sql<string>`case id ${sql.join(
      rows.map((row) => sql`when ${row.id} then cast(${of(row)} as text)`),
      sql` `,
    )} end`;
  await tx
    .updateTable(table)
    .set({ stream: byId(({ stream }) => stream), content: byId(({ content }) => content) })
    .where(
      "id",
      "in",
      rows.map(({ id }) => id),
    )
    .execute();
}

/** Rows that the new streams contained before wait behind the moved rows. */
async function keepFirstDue(tx: Tx, table: "outbox" | "inbox", streams: readonly string[]): Promise<void> {
  await tx
    .updateTable(table)
    .set({ due_at: null })
    .where("stream", "in", streams)
    .where("due_at", "is not", null)
    .where("lease_until", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom(`${table} as earlier`)
          .select("earlier.id")
          .whereRef("earlier.stream", "=", `${table}.stream`)
          .whereRef("earlier.id", "<", `${table}.id`),
      ),
    )
    .execute();
}
