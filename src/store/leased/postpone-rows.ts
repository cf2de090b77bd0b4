import { sql } from "kysely";
import type { Tx } from "../sqlite/schema.ts";
import { isFoldable } from "./leased-row.ts";
import type { ClaimedRow } from "./outbox.ts";

export interface Postponement {
  readonly row: ClaimedRow;
  /** In milliseconds since the epoch. */
  readonly notBefore: number;
  readonly error: string | null;
  /** The kind of the failure; null = this is no failure. */
  readonly failedAs: string | null;
}

/**
 * Gives rows of different streams back. Rows whose claim is no longer valid do not change. If an equal coalescing row was added behind a
 * row meanwhile, the two are merged.
 */
export async function postponeRows(
  tx: Tx,
  table: "outbox" | "inbox",
  postponements: readonly Postponement[],
): Promise<void> {
  const held = await heldRows(tx, table, postponements);
  if (held.length === 0) return;
  await mergeNext(tx, table, held);
  const byId = new Map(postponements.map((postponement) => [postponement.row.id, postponement]));
  const alike = Map.groupBy(
    held.flatMap(({ id }) => byId.get(id) ?? []),
    ({ error, failedAs }) => JSON.stringify([error, failedAs]),
  );
  for (const group of alike.values()) await giveBack(tx, table, group);
}

type HeldRow = Awaited<ReturnType<typeof heldRows>>[number];

async function heldRows(tx: Tx, table: "outbox" | "inbox", postponements: readonly Postponement[]) {
  return await tx
    .selectFrom(table)
    .where((held) =>
      held.or(postponements.map(({ row: { id, claim } }) => held.and({ id, lease_owner: claim }))),
    )
    .select((held) => [
      "id",
      "content",
      "coalesces",
      held
        .selectFrom(`${table} as next`)
        .select((next) => next.fn.min("next.id").as("id"))
        .whereRef("next.stream", "=", `${table}.stream`)
        .whereRef("next.id", ">", `${table}.id`)
        .as("nextId"),
    ])
    .execute();
}

async function mergeNext(tx: Tx, table: "outbox" | "inbox", held: readonly HeldRow[]): Promise<void> {
  const contents = new Map<number, string>();
  for (const { coalesces, content, nextId } of held)
    if (coalesces === 1 && nextId !== null) contents.set(nextId, content);
  if (contents.size === 0) return;
  const next = await tx
    .selectFrom(table)
    .select(["id", "content", "coalesces", "lease_until"])
    .where("id", "in", [...contents.keys()])
    .execute();
  const merged = next.filter((row) => isFoldable(row, contents.get(row.id) ?? ""));
  if (merged.length === 0) return;
  const ids = merged.map(({ id }) => id);
  await tx.deleteFrom(table).where("id", "in", ids).execute();
}

/** @param alike postponements with the same error */
async function giveBack(tx: Tx, table: "outbox" | "inbox", alike: readonly Postponement[]): Promise<void> {
  const [first] = alike;
  if (!first) return;
  const { error, failedAs } = first;
  // Without a stated type, PostgreSQL assumes that a parameter is text.
  const cases = alike.map(({ row, notBefore }) => sql`when ${row.id} then cast(${notBefore} as bigint)`);
  const notBefore = sql<number>`case id ${sql.join(cases, sql` `)} end`;
  await tx
    .updateTable(table)
    .set((old) => ({
      not_before: notBefore,
      due_at: sql<number | null>`case when due_at is null then null else ${notBefore} end`,
      lease_owner: null,
      lease_until: null,
      last_error: error,
      ...(failedAs === null
        ? {}
        : {
            failures: old("failures", "+", 1),
            failed_as: failedAs,
            failed_in_a_row: old
              .case()
              .when("failed_as", "=", failedAs)
              .then(old("failed_in_a_row", "+", 1))
              .else(1)
              .end(),
          }),
    }))
    .where(
      "id",
      "in",
      alike.map(({ row }) => row.id),
    )
    .execute();
}
