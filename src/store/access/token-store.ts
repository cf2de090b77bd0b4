import type { TokenRecord, TokenScope, TokenStore } from "../../ports/token-store.ts";
import { parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database, TokenTable } from "../sqlite/schema.ts";

const byId = new SharedQuery(
  new Prepared((db, at: { id: string }) => db.selectFrom("tokens").selectAll().where("id", "=", at.id)),
);

export class SqlTokenStore implements TokenStore {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  /** @throws Error when there is a token with this id. */
  async add(token: TokenRecord): Promise<void> {
    await this.#writes.run((tx) => tx.insertInto("tokens").values(tokenRow(token)).execute());
  }

  async find(id: string): Promise<TokenRecord | null> {
    const row = await byId.first(this.#db, { id });
    return row ? tokenRecord(row) : null;
  }

  async list(organisation: string | null): Promise<readonly TokenRecord[]> {
    const all = this.#db.selectFrom("tokens").selectAll().orderBy("created_at", "desc").orderBy("id");
    const rows = await (organisation === null ? all : all.where("organisation", "=", organisation)).execute();
    return rows.map(tokenRecord);
  }

  async revoke(id: string, at: number): Promise<boolean> {
    return await this.#writes.run(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("tokens")
        .set((token) => ({ revoked_at: token.fn.coalesce("revoked_at", token.val(at)) }))
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  }

  /** An older time does not replace a newer one. */
  async markUsed(id: string, at: number): Promise<void> {
    await this.#writes.run((tx) =>
      tx
        .updateTable("tokens")
        .set({ last_used_at: at })
        .where("id", "=", id)
        .where((token) => token.or([token("last_used_at", "is", null), token("last_used_at", "<", at)]))
        .execute(),
    );
  }
}

function tokenRow(token: TokenRecord): TokenTable {
  return {
    id: token.id,
    name: token.name,
    organisation: token.organisation,
    scopes: JSON.stringify(token.scopes),
    secret_sha256: token.secretSha256,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    last_used_at: token.lastUsedAt,
  };
}

function tokenRecord(row: TokenTable): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    organisation: row.organisation,
    scopes: parseStored<readonly TokenScope[]>(row.scopes, `the scopes of token ${row.id}`),
    secretSha256: row.secret_sha256,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
