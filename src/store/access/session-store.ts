import type { Selectable } from "kysely";
import { inChunks } from "../queries/in-chunks.ts";
import type { Schema } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/**
 * The session of a browser or a command line. It is signed in with an API token, or with an account on the code host. Times in
 * milliseconds.
 */
export interface SessionRecord {
  /** The digest of the session's id. A reader of the database cannot derive the id from it. */
  readonly idSha256: string;
  readonly signedIn: SignedIn;
  /** Null = not known, because an earlier version stored the session. */
  readonly device: Device | null;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
}

export type SignedIn =
  | { readonly kind: "token"; readonly tokenId: string }
  | ({ readonly kind: "person" } & Person);

/** Where somebody has signed in, as it describes itself. */
export type Device =
  | { readonly kind: "browser"; readonly userAgent: string }
  | { readonly kind: "command_line"; readonly machine: string };

/** Somebody's account on the code host. Its id counts: its login can change, and somebody else can get it. */
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
  async add({ idSha256, signedIn, device, createdAt, seenAt, expiresAt }: SessionRecord): Promise<boolean> {
    const isPerson = signedIn.kind === "person";
    const row = {
      id_sha256: idSha256,
      token_id: isPerson ? null : signedIn.tokenId,
      user_id: isPerson ? signedIn.id : null,
      login: isPerson ? signedIn.login : null,
      user_agent: device?.kind === "browser" ? device.userAgent : null,
      machine: device?.kind === "command_line" ? device.machine : null,
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
    return row ? readRow(row) : null;
  }

  /** The sessions of an account, or those that are signed in with a token, that were not ended. Expired ones included. */
  async listOf(signedIn: SignedIn): Promise<readonly SessionRecord[]> {
    const all = this.db.selectFrom("dashboard_sessions").selectAll();
    const rows = await (signedIn.kind === "person"
      ? all.where("user_id", "=", signedIn.id)
      : all.where("token_id", "=", signedIn.tokenId)
    ).execute();
    return rows.flatMap((row) => readRow(row) ?? []);
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
   * The sessions' ids cannot be used again until they would have expired. Until then, each row counts as a session of its account, so that
   * ending sessions does not make room for more rows. No error when there is no such session.
   */
  async end(ids: readonly string[]): Promise<void> {
    await this.writes.run(async (tx) => {
      for (const chunk of inChunks(ids))
        await tx
          .updateTable("dashboard_sessions")
          .set({ token_id: null, login: null })
          .where("id_sha256", "in", chunk)
          .execute();
    });
  }

  async removeAllOf(userId: number): Promise<void> {
    await this.writes.run((tx) =>
      tx.deleteFrom("dashboard_sessions").where("user_id", "=", userId).execute(),
    );
  }
}

/** Null when the session was ended. */
function readRow(row: Selectable<Schema["dashboard_sessions"]>): SessionRecord | null {
  const { token_id: tokenId, user_id: id, login, user_agent: userAgent, machine } = row;
  const device =
    machine !== null
      ? ({ kind: "command_line", machine } as const)
      : userAgent !== null
        ? ({ kind: "browser", userAgent } as const)
        : null;
  const rest = { device, createdAt: row.created_at, seenAt: row.seen_at, expiresAt: row.expires_at };
  const idSha256 = row.id_sha256;
  if (tokenId !== null) return { idSha256, signedIn: { kind: "token", tokenId }, ...rest };
  if (id === null || login === null) return null;
  return { idSha256, signedIn: { kind: "person", id, login }, ...rest };
}
