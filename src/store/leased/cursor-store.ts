import { inChunks } from "../queries/in-chunks.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/** How far each polled source has been read, and other texts that are only replaced. */
export class CursorStore extends SqlStore {
  async get(name: string): Promise<string | null> {
    const row = await this.db
      .selectFrom("cursors")
      .select("value")
      .where("name", "=", name)
      .executeTakeFirst();
    return row?.value ?? null;
  }

  /** The values of these names, by name. Names without a value are missing. */
  async list(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const chunk of inChunks(names))
      for (const { name, value } of await this.db
        .selectFrom("cursors")
        .select(["name", "value"])
        .where("name", "in", chunk)
        .execute())
        found.set(name, value);
    return found;
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
