/** `bot`: says on whose behalf it acts, and is believed. */
export type TokenScope = "read" | "submit" | "queue:admin" | "tests:upload" | "bot" | "admin";

/** An API token without its secret: only a SHA-256 of that is stored. */
export interface TokenRecord {
  /** The public part of the token, 12 characters. */
  readonly id: string;
  readonly name: string;
  /** The slug of the organisation: the owner of the repositories that it may touch, in lower case. */
  readonly organisation: string;
  readonly scopes: readonly TokenScope[];
  readonly secretSha256: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface TokenStore {
  add(token: TokenRecord): Promise<void>;
  /** Expired and revoked ones included. */
  find(id: string): Promise<TokenRecord | null>;
  /** All tokens of an organisation, or of every one, newest first. */
  list(organisation: string | null): Promise<readonly TokenRecord[]>;
  /** False when there is no such token. Revoking twice keeps the first time. */
  revoke(id: string, at: number): Promise<boolean>;
  markUsed(id: string, at: number): Promise<void>;
}
