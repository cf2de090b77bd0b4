import type { Writes } from "../sqlite/group-commit.ts";
import type { Database } from "../sqlite/schema.ts";

/** A browser session that is signed in with an API token. */
export interface SessionRecord {
  /** The digest of the browser's session id. A reader of the database cannot derive the id from it. */
  readonly idSha256: string;
  readonly tokenId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export class SessionStore {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  /** Also deletes expired sessions. */
  async add({ idSha256, tokenId, createdAt, expiresAt }: SessionRecord): Promise<void> {
    const row = { id_sha256: idSha256, token_id: tokenId, created_at: createdAt, expires_at: expiresAt };
    await this.#writes.run(async (tx) => {
      await tx.deleteFrom("dashboard_sessions").where("expires_at", "<=", createdAt).execute();
      await tx.insertInto("dashboard_sessions").values(row).execute();
    });
  }

  /** Expired ones included. */
  async find(idSha256: string): Promise<SessionRecord | null> {
    const row = await this.#db
      .selectFrom("dashboard_sessions")
      .selectAll()
      .where("id_sha256", "=", idSha256)
      .executeTakeFirst();
    if (!row) return null;
    return { idSha256, tokenId: row.token_id, createdAt: row.created_at, expiresAt: row.expires_at };
  }

  /** No error when there is no such session. */
  async remove(idSha256: string): Promise<void> {
    await this.#writes.run((tx) =>
      tx.deleteFrom("dashboard_sessions").where("id_sha256", "=", idSha256).execute(),
    );
  }
}
