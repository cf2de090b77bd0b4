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

export interface TokenStore {
  add(token: TokenRecord): Promise<void>;
  /** Including expired and revoked ones. */
  find(id: string): Promise<TokenRecord | null>;
  /** All tokens of an organisation, newest first; of all organisations when it is null. */
  list(organisation: string | null): Promise<readonly TokenRecord[]>;
  /** False when there is no such token. A second revocation keeps the first time. */
  revoke(id: string, at: number): Promise<boolean>;
  markUsed(id: string, at: number): Promise<void>;
}
