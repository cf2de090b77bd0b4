import { parseStored } from "../queries/corrupt-row.ts";
import { Prepared } from "../queries/prepared.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { TokenTable } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/** `bot`: names the person on whose behalf it acts, and is trusted in that. */
export type TokenScope = "read" | "submit" | "queue:admin" | "tests:upload" | "bot" | "admin";

/** An API token without its secret, of which only a SHA-256 is stored. */
export interface TokenRecord {
  /** The public part of the token, 12 characters. */
  readonly id: string;
  readonly name: string;
  /** The slug of the organisation: the owner of the repositories that the token can access, in lower case. */
  readonly organisation: string;
  readonly scopes: readonly TokenScope[];
  readonly secretSha256: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

const byId = new SharedQuery(
  new Prepared((db, at: { id: string }) => db.selectFrom("tokens").selectAll().where("id", "=", at.id)),
);

export class TokenStore extends SqlStore {
  /** @throws Error when there is a token with this id. */
  async add(token: TokenRecord): Promise<void> {
    await this.writes.run((tx) => tx.insertInto("tokens").values(tokenRow(token)).execute());
  }

  /** Including expired and revoked ones. */
  async find(id: string): Promise<TokenRecord | null> {
    const row = await byId.first(this.db, { id });
    return row ? tokenRecord(row) : null;
  }

  /** All tokens of an organisation, newest first; of all organisations when it is null. */
  async list(organisation: string | null): Promise<readonly TokenRecord[]> {
    const all = this.db.selectFrom("tokens").selectAll().orderBy("created_at", "desc").orderBy("id");
    const rows = await (organisation === null ? all : all.where("organisation", "=", organisation)).execute();
    return rows.map(tokenRecord);
  }

  /** False when there is no such token. A second revocation keeps the first time. */
  async revoke(id: string, at: number): Promise<boolean> {
    return await this.writes.run(async (tx) => {
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
    await this.writes.run((tx) =>
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
