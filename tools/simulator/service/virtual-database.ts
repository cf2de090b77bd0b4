import { sql } from "kysely";
import { createStores, type Store } from "../../../src/store/create-stores.ts";
import { type OpenedSqlite, openSqlite } from "../../../src/store/sqlite/connect-sqlite.ts";
import { GroupCommit } from "../../../src/store/sqlite/group-commit.ts";
import { migrate } from "../../../src/store/sqlite/migrate.ts";
import type { Schema } from "../../../src/store/sqlite/schema.ts";
import { wrapStatement } from "./wrap-statement.ts";

const sqliteFull = 13;

/** One database in memory, which all replicas use. It records every claim of a row that another one still held. */
export class VirtualDatabase {
  readonly #opened: OpenedSqlite<Schema>;
  /** The writers of all processes. */
  readonly #writers: GroupCommit[] = [];

  private constructor(opened: OpenedSqlite<Schema>) {
    this.#opened = opened;
  }

  static async open(): Promise<VirtualDatabase> {
    const opened = openSqlite<Schema>(":memory:");
    await migrate(opened.db);
    await watchClaims(opened);
    return new VirtualDatabase(opened);
  }

  /** The stores of one process, with their own caches. */
  connect(): Store {
    const { db, written } = this.#opened;
    const writer = new GroupCommit(db, written);
    this.#writers.push(writer);
    return createStores(db, writer);
  }

  /** The events of all queues, and descriptions of claims that two replicas held at the same time. */
  async read() {
    const { db } = this.#opened;
    const events = await db.selectFrom("events").selectAll().orderBy("queue_id").orderBy("seq").execute();
    const { rows } = await sql<DoubleClaim>`select content, first, second from double_claims`.execute(db);
    const doubleClaims = rows.map(
      ({ content, first, second }) => `${first} and ${second} both held ${content}`,
    );
    return { events, doubleClaims };
  }

  /** Waits for writes in progress. */
  async close(): Promise<void> {
    for (const writer of this.#writers) await writer.close();
    await this.#opened.db.destroy();
  }
}

interface DoubleClaim {
  readonly content: string;
  readonly first: string;
  readonly second: string;
}

async function watchClaims({ db }: OpenedSqlite<Schema>): Promise<void> {
  await sql`create temp table double_claims (content text, first text, second text)`.execute(db);
  for (const table of ["outbox", "inbox"])
    await sql`
      create temp trigger ${sql.ref(`watch_${table}`)} before update of lease_owner on main.${sql.ref(table)}
      when old.lease_owner is not null and new.lease_owner is not null
        and old.lease_owner <> new.lease_owner and old.lease_until > new.claimed_at
      begin insert into double_claims values (old.content, old.lease_owner, new.lease_owner); end`.execute(
      db,
    );
}

/**
 * Prevents transactions of the service from beginning, as on a full disk, until the returned function is called.
 *
 * @param fails whether the next one does
 */
export function failTransactions(fails: () => boolean): () => void {
  return wrapStatement("begin immediate", (begin) => {
    if (fails()) throw Object.assign(new Error("database or disk is full"), { errcode: sqliteFull });
    return begin();
  });
}
