import { Prepared } from "../sqlite/prepared.ts";

/** The last row of a stream. */
export function lastOf(table: "outbox" | "inbox") {
  return new Prepared((db, at: { stream: string }) =>
    db
      .selectFrom(table)
      .select(["id", "content", "coalesces", "lease_until", "not_before", "due_at"])
      .where("stream", "=", at.stream)
      .orderBy("id", "desc")
      .limit(1),
  );
}

interface InsertedRow {
  readonly stream: string;
  readonly content: string;
  readonly coalesces: 0 | 1;
  readonly notBefore: number;
  /** No row has a smaller id. */
  readonly fromId: number;
}

/** Adds a row, which is due if it is the first of its stream. */
export function insert(table: "outbox" | "inbox") {
  return new Prepared((db, row: InsertedRow) =>
    db.insertInto(table).values({
      stream: row.stream,
      content: row.content,
      coalesces: row.coalesces,
      not_before: row.notBefore,
      // Only the first row of a stream is due.
      due_at: db.selectNoFrom((first) =>
        first
          .case()
          .when(
            first.exists(
              first
                .selectFrom(`${table} as earlier`)
                .select("earlier.id")
                .where("earlier.stream", "=", row.stream)
                .where("earlier.id", ">=", row.fromId),
            ),
          )
          .then(null)
          .else(first.cast<number>(first.val(row.notBefore), "bigint"))
          .end()
          .as("due_at"),
      ),
      wanted_at: row.notBefore,
    }),
  );
}
