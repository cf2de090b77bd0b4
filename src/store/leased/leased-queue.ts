import { Prepared } from "../queries/prepared.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { DeadRows } from "./dead-rows.ts";
import type { LeasedRow, NewRow, SettledRow, WaitingStream } from "./leased-row.ts";
import { moveStreams, type StreamMove } from "./move-streams.ts";
import { newClaim } from "./new-claim.ts";
import type { Claim, ClaimedRow } from "./outbox.ts";
import { type Postponement, postponeRows } from "./postpone-rows.ts";
import { RowAdder } from "./row-adder.ts";

/**
 * Hands out work row by row under a lease, in order within each stream. The outbox and the inbox share these
 * rules. The table contains only unfinished rows.
 *
 * Invariant: only the first row of each stream has `due_at` set, to `lease_until` while it is leased and to
 * `not_before` otherwise. The claimable rows are therefore a range of one index, however long the streams
 * are. The invariant holds because SQLite permits one writer at a time. On a database with concurrent
 * writers, `add` and `settle` would first have to lock the stream.
 */
export class LeasedQueue {
  readonly #table: "outbox" | "inbox";
  readonly #dead = new DeadRows();
  readonly #adder: RowAdder;
  readonly #due: ReturnType<typeof due>;
  readonly #firstDue: ReturnType<typeof firstDue>;

  constructor(table: "outbox" | "inbox") {
    this.#table = table;
    this.#adder = new RowAdder(table, this.#dead);
    this.#due = due(table);
    this.#firstDue = firstDue(table);
  }

  /** Adds a row at the end of its stream, or merges it into an equal one that waits there if both coalesce. */
  add(tx: Tx, row: NewRow): Promise<void> {
    return this.addAll(tx, [row]);
  }

  /** Adds several rows, in order. Equal neighbours of a stream must have been merged. */
  addAll(tx: Tx, rows: readonly NewRow[]): Promise<void> {
    return this.#adder.add(tx, rows);
  }

  async isAnyDue(db: Database, now: number): Promise<boolean> {
    const due = await this.nextDue(db);
    return due !== null && due <= now;
  }

  /** Leases the first rows of streams. Rows that have been due for the longest time come first. */
  async claim(tx: Tx, claim: Claim): Promise<readonly LeasedRow[]> {
    const { now, limit } = claim;
    const { rows } = await this.#due.run(tx, { from: this.#dead.of(tx).dueAt, now, limit });
    const last = rows.length === claim.limit ? rows.at(-1) : undefined;
    this.#dead.claimedUpTo(tx, last?.due_at ?? claim.now);
    const leaseUntil = claim.now + claim.leaseMs;
    const held = newClaim(claim.owner);
    if (rows.length === 0) return [];
    await tx
      .updateTable(this.#table)
      .set((row) => ({
        attempts: row("attempts", "+", 1),
        claimed_at: claim.now,
        lease_owner: held,
        lease_until: leaseUntil,
        due_at: leaseUntil,
      }))
      .where(
        "id",
        "in",
        rows.map(({ id }) => id),
      )
      .execute();
    return rows.map(({ due_at: _, ...row }) => ({ ...row, claim: held }));
  }

  /**
   * Deletes a row, and makes the next one of its stream the first. Null when the claim is no longer valid.
   */
  async settle(tx: Tx, row: ClaimedRow): Promise<SettledRow | null> {
    return (await this.settleAll(tx, [row])).get(row.claim + row.id) ?? null;
  }

  /** Like `settle`, for several rows of different streams, by `claim + id`. Rows whose claim is no longer valid are left out. */
  async settleAll(tx: Tx, rows: readonly ClaimedRow[]): Promise<ReadonlyMap<string, SettledRow>> {
    if (rows.length === 0) return new Map();
    const gone = await tx
      .deleteFrom(this.#table)
      .where((row) => row.or(rows.map(({ id, claim }) => row.and({ id, lease_owner: claim }))))
      .returning((row) => [
        "id",
        "lease_owner",
        "content",
        "claimed_at",
        row
          .selectFrom(`${this.#table} as next`)
          .select((next) => next.fn.min("next.id").as("id"))
          .whereRef("next.stream", "=", `${this.#table}.stream`)
          .whereRef("next.id", ">", `${this.#table}.id`)
          .as("nextId"),
      ])
      .execute();
    const next = gone.flatMap(({ nextId }) => (nextId === null ? [] : [nextId]));
    if (next.length > 0)
      await tx
        .updateTable(this.#table)
        .set((row) => ({ due_at: row.ref("not_before") }))
        .where("due_at", "is", null)
        .where("id", "in", next)
        .returning("due_at")
        .execute()
        .then((due) => this.#madeDue(tx, due));
    return new Map(
      gone.map(({ id, lease_owner, content, claimed_at }) => [
        `${lease_owner}${id}`,
        { content, claimedAt: claimed_at },
      ]),
    );
  }

  /**
   * Gives rows of different streams back. Rows whose claim is no longer valid do not change. If an equal coalescing row was added behind a
   * row meanwhile, the two are merged.
   */
  async postponeAll(tx: Tx, postponements: readonly Postponement[]): Promise<void> {
    await postponeRows(tx, this.#table, postponements);
    for (const { notBefore } of postponements) this.#dead.madeDue(tx, notBefore);
  }

  /**
   * Changes only the first rows of streams, because the other rows wait for these. Leased rows do not change.
   */
  async hasten(tx: Tx, prefix: string, notBefore: number): Promise<void> {
    await tx
      .updateTable(this.#table)
      .set({ not_before: notBefore, due_at: notBefore })
      .where("stream", ">=", prefix)
      .where("stream", "<", `${prefix}\u{10ffff}`)
      .where("due_at", ">", notBefore)
      .where("lease_until", "is", null)
      .execute();
    this.#dead.madeDue(tx, notBefore);
  }

  /** Renames streams and changes the contents of their rows. Rows that a worker has claimed are done again under the new name. */
  async moveStreams(tx: Tx, move: StreamMove): Promise<void> {
    await this.addAll(tx, await moveStreams(tx, this.#table, move));
  }

  /** Changes nothing when the claim is no longer valid. */
  async renew(tx: Tx, { id, claim }: ClaimedRow, leaseUntil: number): Promise<void> {
    await tx
      .updateTable(this.#table)
      .set({ lease_until: leaseUntil, due_at: leaseUntil })
      .where("id", "=", id)
      .where("lease_owner", "=", claim)
      .execute();
  }

  /** When the next row can be claimed. A leased row can be claimed when its lease expires. */
  async nextDue(db: Database): Promise<number | null> {
    const isLook = this.#dead.isToLook(db);
    const began = performance.now();
    const first = await this.#firstDue.first(db, { from: isLook ? 0 : this.#dead.of(db).dueAt });
    const dueAt = first?.due_at ?? null;
    if (isLook) {
      this.#dead.looked(db, performance.now() - began, await this.#firstId(db));
      if (dueAt !== null) this.#dead.madeDue(db, dueAt);
    }
    return dueAt;
  }

  async #firstId(db: Database): Promise<number | null> {
    const first = await db
      .selectFrom(this.#table)
      .select((row) => row.fn.min("id").as("id"))
      .where("id", ">=", this.#dead.of(db).id)
      .executeTakeFirst();
    return first?.id ?? null;
  }

  #madeDue(db: Database, rows: readonly { readonly due_at: number | null }[]): void {
    for (const { due_at } of rows) if (due_at !== null) this.#dead.madeDue(db, due_at);
  }

  /** For each stream with waiting or leased rows: their number, and the content of one of them. */
  async backlog(db: Database): Promise<readonly WaitingStream[]> {
    return await db
      .selectFrom(this.#table)
      .select((row) => [
        "stream",
        row.fn.min("content").as("content"),
        row.fn.countAll<number>().as("rows"),
        row.fn.min("wanted_at").as("wantedAt"),
      ])
      .groupBy("stream")
      .execute();
  }

  async depth(db: Database): Promise<number> {
    const counted = await db
      .selectFrom(this.#table)
      .select((row) => row.fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    return Number(counted.rows);
  }
}

/** The due rows, the longest due first. `from`: no row is due earlier. */
function due(table: "outbox" | "inbox") {
  return new Prepared((db, at: { readonly from: number; readonly now: number; readonly limit: number }) =>
    db
      .selectFrom(table)
      .select(["id", "stream", "content", "attempts", "failures", "due_at"])
      .select(["failed_as as failedAs", "failed_in_a_row as failedInARow"])
      .where("due_at", ">=", at.from)
      .where("due_at", "<=", at.now)
      .orderBy("due_at")
      .orderBy("id")
      .limit(at.limit),
  );
}

/** When the next row is due. `from`: no row is due earlier. */
function firstDue(table: "outbox" | "inbox") {
  return new Prepared((db, at: { readonly from: number }) =>
    db
      .selectFrom(table)
      .select((row) => row.fn.min("due_at").as("due_at"))
      .where("due_at", ">=", at.from),
  );
}
