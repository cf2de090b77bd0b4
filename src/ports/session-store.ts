/** A browser that is signed in with an API token. */
export interface SessionRecord {
  /** The digest of what the browser shows: who reads the database cannot show it. */
  readonly idSha256: string;
  readonly tokenId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionStore {
  /** Forgets those that have expired, too. */
  add(session: SessionRecord): Promise<void>;
  /** Expired ones included. */
  find(idSha256: string): Promise<SessionRecord | null>;
  /** No error when there is no such session. */
  remove(idSha256: string): Promise<void>;
}
