/** A browser session that is signed in with an API token. */
export interface SessionRecord {
  /** The digest of the browser's session id. A reader of the database cannot derive the id from it. */
  readonly idSha256: string;
  readonly tokenId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionStore {
  /** Also deletes expired sessions. */
  add(session: SessionRecord): Promise<void>;
  /** Expired ones included. */
  find(idSha256: string): Promise<SessionRecord | null>;
  /** No error when there is no such session. */
  remove(idSha256: string): Promise<void>;
}
