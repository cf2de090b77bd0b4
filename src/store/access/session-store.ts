import { SqlStore } from "../sqlite/sql-store.ts";

/**
 * The session of a browser or a command line. It is signed in with an API token, or with an account on the code host. Times in
 * milliseconds.
 */
export interface SessionRecord {
  /** The digest of the session's id. A reader of the database cannot derive the id from it. */
  readonly idSha256: string;
  readonly signedIn: SignedIn;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
}

export type SignedIn =
  | { readonly kind: "token"; readonly tokenId: string }
  | ({ readonly kind: "person" } & Person);

/** An account on the code host. It is identified by its id: its login can change, and can pass to another account. */
export interface Person {
  readonly id: number;
  readonly login: string;
}

/** The maximum number of sessions of an account, because anyone with an account on the code host can sign in any number of times. */
const mostOfAccount = 100;

export class SessionStore extends SqlStore {
  /**
   * Returns false, and changes nothing, if there is or was a session with this id. Also deletes expired sessions, and the oldest ones of an
   * account that has too many.
   */
  async add({ idSha256, signedIn, createdAt, seenAt, expiresAt }: SessionRecord): Promise<boolean> {
    const isPerson = signedIn.kind === "person";
    const row = {
      id_sha256: idSha256,
      token_id: isPerson ? null : signedIn.tokenId,
      user_id: isPerson ? signedIn.id : null,
      login: isPerson ? signedIn.login : null,
      created_at: createdAt,
      seen_at: seenAt,
      expires_at: expiresAt,
    };
    return this.writes.run(async (tx) => {
      await tx.deleteFrom("dashboard_sessions").where("expires_at", "<=", createdAt).execute();
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto("dashboard_sessions")
        .values(row)
        .onConflict((known) => known.column("id_sha256").doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      if (isPerson) {
        const ofAccount = tx.selectFrom("dashboard_sessions").where("user_id", "=", signedIn.id);
        const others = ofAccount.select("id_sha256").where("id_sha256", "!=", idSha256);
        const tooOld = others
          .orderBy("created_at", "desc")
          .limit(mostOfAccount)
          .offset(mostOfAccount - 1);
        await tx.deleteFrom("dashboard_sessions").where("id_sha256", "in", tooOld).execute();
      }
      return true;
    });
  }

  /** Includes expired sessions, but not those that were ended. */
  async find(idSha256: string): Promise<SessionRecord | null> {
    const row = await this.db
      .selectFrom("dashboard_sessions")
      .selectAll()
      .where("id_sha256", "=", idSha256)
      .executeTakeFirst();
    if (!row) return null;
    const { token_id: tokenId, user_id: id, login } = row;
    const times = { createdAt: row.created_at, seenAt: row.seen_at, expiresAt: row.expires_at };
    if (tokenId !== null) return { idSha256, signedIn: { kind: "token", tokenId }, ...times };
    if (id === null || login === null) return null;
    return { idSha256, signedIn: { kind: "person", id, login }, ...times };
  }

  async markSeen(idSha256: string, seenAt: number): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("dashboard_sessions")
        .set({ seen_at: seenAt })
        .where("id_sha256", "=", idSha256)
        .execute(),
    );
  }

  /**
   * The session's id cannot be used again until it would have expired. Until then, the row counts as a session of its account, so that
   * ending sessions does not make room for more rows. No error when there is no such session.
   */
  async end(idSha256: string): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("dashboard_sessions")
        .set({ token_id: null, login: null })
        .where("id_sha256", "=", idSha256)
        .execute(),
    );
  }

  async removeAllOf(userId: number): Promise<void> {
    await this.writes.run((tx) =>
      tx.deleteFrom("dashboard_sessions").where("user_id", "=", userId).execute(),
    );
  }
}
