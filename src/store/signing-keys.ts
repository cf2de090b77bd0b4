import type { SigningKeys } from "../ports/signing-keys.ts";
import type { Writes } from "./group-commit.ts";
import type { Database } from "./schema.ts";

export class SqlSigningKeys implements SigningKeys {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async obtain(name: string, fresh: Uint8Array): Promise<Uint8Array> {
    const kept = await this.#find(name);
    if (kept) return kept;
    const value = Buffer.from(fresh).toString("base64");
    await this.#writes.run((tx) =>
      tx
        .insertInto("signing_keys")
        .values({ name, value })
        // Another process may have been first.
        .onConflict((known) => known.column("name").doNothing())
        .execute(),
    );
    const now = await this.#find(name);
    if (!now) throw new Error(`the signing key ${name} was written, and is not there`);
    return now;
  }

  async #find(name: string): Promise<Uint8Array | null> {
    const row = await this.#db
      .selectFrom("signing_keys")
      .select("value")
      .where("name", "=", name)
      .executeTakeFirst();
    return row ? Buffer.from(row.value, "base64") : null;
  }
}
