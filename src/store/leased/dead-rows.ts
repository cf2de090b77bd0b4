import { type DialectAdapter, PostgresAdapter } from "kysely";
import type { Database } from "../sqlite/schema.ts";

/** Where the live rows of a table begin, as far as this process knows. */
export interface Beginning {
  /** No row is due earlier, except for rows that another process has made due. */
  dueAt: number;
  /** No row has a smaller id. */
  id: number;
  /** When to look from the start again, by `performance.now()`. */
  nextLookAt: number;
}

const lookEveryMs = 1_000;
/** The maximum share of the time that is spent on looking from the start. */
const share = 0.05;
const everything: Readonly<Beginning> = { dueAt: 0, id: 0, nextLookAt: Number.POSITIVE_INFINITY };

/**
 * Remembers where live rows begin, so that dead rows need not be read each time. PostgreSQL cannot remove dead
 * rows while an old transaction is open somewhere, and they collect at the start of each index: there, each claim
 * would read all rows of the last hours. SQLite has no dead rows.
 */
export class DeadRows {
  readonly #beginnings = new WeakMap<DialectAdapter, Beginning>();

  of(db: Database): Readonly<Beginning> {
    return this.#known(db) ?? everything;
  }

  /** Must be called when this process has made a row due. */
  madeDue(db: Database, dueAt: number): void {
    const known = this.#known(db);
    if (known) known.dueAt = Math.min(known.dueAt, dueAt);
  }

  /** Whether other processes may have made earlier rows due. */
  isToLook(db: Database): boolean {
    return performance.now() >= this.of(db).nextLookAt;
  }

  /** Must be called after a look from the start, with its duration. */
  looked(db: Database, tookMs: number, id: number | null): void {
    const known = this.#known(db);
    if (!known) return;
    known.nextLookAt = performance.now() + Math.max(lookEveryMs, tookMs / share);
    known.id = id ?? known.id;
  }

  /** Must be called after a claim of every row that was due before `dueAt`. */
  claimedUpTo(db: Database, dueAt: number): void {
    const known = this.#known(db);
    if (known) known.dueAt = dueAt;
  }

  #known(db: Database): Beginning | null {
    const { adapter } = db.getExecutor();
    if (!(adapter instanceof PostgresAdapter)) return null;
    const known = this.#beginnings.get(adapter) ?? { dueAt: 0, id: 0, nextLookAt: 0 };
    this.#beginnings.set(adapter, known);
    return known;
  }
}
