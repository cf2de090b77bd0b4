import type { SessionRecord, SessionStore } from "../../ports/session-store.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database } from "../sqlite/schema.ts";

export class SqlSessionStore implements SessionStore {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async add({ idSha256, tokenId, createdAt, expiresAt }: SessionRecord): Promise<void> {
    const row = { id_sha256: idSha256, token_id: tokenId, created_at: createdAt, expires_at: expiresAt };
    await this.#writes.run(async (tx) => {
      await tx.deleteFrom("dashboard_sessions").where("expires_at", "<=", createdAt).execute();
      await tx.insertInto("dashboard_sessions").values(row).execute();
    });
  }

  async find(idSha256: string): Promise<SessionRecord | null> {
    const row = await this.#db
      .selectFrom("dashboard_sessions")
      .selectAll()
      .where("id_sha256", "=", idSha256)
      .executeTakeFirst();
    if (!row) return null;
    return { idSha256, tokenId: row.token_id, createdAt: row.created_at, expiresAt: row.expires_at };
  }

  async remove(idSha256: string): Promise<void> {
    await this.#writes.run((tx) =>
      tx.deleteFrom("dashboard_sessions").where("id_sha256", "=", idSha256).execute(),
    );
  }
}
