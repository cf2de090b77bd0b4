import { SqlStore } from "../sqlite/sql-store.ts";

/** How far each polled source has been read. */
export class CursorStore extends SqlStore {
  async get(name: string): Promise<string | null> {
    const row = await this.db
      .selectFrom("cursors")
      .select("value")
      .where("name", "=", name)
      .executeTakeFirst();
    return row?.value ?? null;
  }

  async put(name: string, value: string): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .insertInto("cursors")
        .values({ name, value })
        .onConflict((known) => known.column("name").doUpdateSet({ value }))
        .execute(),
    );
  }
}
