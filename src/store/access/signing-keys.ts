import { SqlStore } from "../sqlite/sql-store.ts";

/** A key in its stored form: a text, which may be sealed. */
export interface KeptKey {
  readonly name: string;
  readonly value: string;
}

/** Keys that the service generates for itself. */
export class SigningKeys extends SqlStore {
  /**
   * Returns the value stored under this name. If there is none, stores the given one and returns it. All
   * processes get the same value.
   */
  async obtain({ name, value }: KeptKey): Promise<string> {
    const kept = await this.#find(name);
    if (kept !== null) return kept;
    await this.writes.run((tx) =>
      tx
        .insertInto("signing_keys")
        .values({ name, value })
        // Another process may have been first.
        .onConflict((known) => known.column("name").doNothing())
        .execute(),
    );
    const now = await this.#find(name);
    if (now === null) throw new Error(`the signing key ${name} was written, and is not there`);
    return now;
  }

  list(): Promise<readonly KeptKey[]> {
    return this.db.selectFrom("signing_keys").select(["name", "value"]).orderBy("name").execute();
  }

  /** Replaces the stored form of a value. Changes nothing when the stored value is no longer `key`. */
  async replace({ name, value: before }: KeptKey, value: string): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("signing_keys")
        .set({ value })
        .where("name", "=", name)
        .where("value", "=", before)
        .execute(),
    );
  }

  async #find(name: string): Promise<string | null> {
    const row = await this.db
      .selectFrom("signing_keys")
      .select("value")
      .where("name", "=", name)
      .executeTakeFirst();
    return row?.value ?? null;
  }
}
