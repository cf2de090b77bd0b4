import { statSync } from "node:fs";
import { sql } from "kysely";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/** The name among the cursors. */
const name = "instance";

/** The id of the service that has this database, alone or with its replicas. */
export class InstanceStore extends SqlStore {
  readonly #path: string | null;
  readonly #isShared: boolean;

  /** @param path of the database's file; null = it has none */
  constructor(db: Database, writes: Writes, isShared: boolean, path: string | null) {
    super(db, writes);
    this.#isShared = isShared;
    this.#path = path;
  }

  /**
   * Returns the id. A database that was copied, moved or restored gets the new one, because the service that it comes from may still
   * run.
   */
  async own(newId: string): Promise<string> {
    const place = await this.#place();
    return this.writes.run(async (tx) => {
      const row = await tx.selectFrom("cursors").select("value").where("name", "=", name).executeTakeFirst();
      const [id, knownPlace] = row?.value.split(" ") ?? [];
      if (id !== undefined && knownPlace === place) return id;
      const value = `${newId} ${place}`;
      await tx
        .insertInto("cursors")
        .values({ name, value })
        .onConflict((known) => known.column("name").doUpdateSet({ value }))
        .execute();
      return newId;
    });
  }

  /**
   * Identifies the place of the database, which a copy does not share: the number of its file, or the numbers of its server and of the
   * database on it.
   */
  async #place(): Promise<string> {
    if (this.#path !== null) return String(statSync(this.#path, { bigint: true }).ino);
    if (!this.#isShared) return "memory";
    const { rows } = await sql<{ place: string }>`
      select system_identifier || '/' || oid as place
      from pg_control_system(), pg_database where datname = current_database()`.execute(this.db);
    return rows[0]?.place ?? "unknown";
  }
}
