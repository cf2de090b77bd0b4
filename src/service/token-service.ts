import type { TokenRecord, TokenScope } from "../ports/token-store.ts";

export const tokenScopes = [
  "read",
  "submit",
  "queue:admin",
  "tests:upload",
  "bot",
  "admin",
] as const satisfies readonly TokenScope[];

/** Who a token speaks for. */
export interface Principal {
  readonly tokenId: string;
  readonly name: string;
  /** Lower-case slug; null = every organisation, which only the service's own bot has. */
  readonly organisation: string | null;
  readonly scopes: readonly TokenScope[];
  /** May name the person on whose behalf it acts. */
  readonly mayActForOthers: boolean;
}

export interface TokenService {
  /** Answers the token's full text, which is shown once and never stored. */
  create(token: {
    organisation: string;
    name: string;
    scopes: readonly TokenScope[];
    expiresAt: number | null;
  }): Promise<{ token: string; record: TokenRecord }>;
  list(organisation: string | null): Promise<readonly TokenRecord[]>;
  /** False when there is no such token. */
  revoke(id: string): Promise<boolean>;
  /** Null for a malformed, unknown, expired or revoked token; compared in constant time. */
  authenticate(token: string): Promise<Principal | null>;
}
