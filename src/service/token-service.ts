import type { TokenRecord, TokenScope } from "../ports/token-store.ts";

export const tokenScopes = [
  "read",
  "submit",
  "queue:admin",
  "tests:upload",
  "bot",
  "admin",
] as const satisfies readonly TokenScope[];

/** Who sends a request, and what may be done in their name. */
export interface Principal {
  /** An API token, the service's own bot, a workflow by its OIDC token, or a run of a fork's workflow. */
  readonly kind: "token" | "bot" | "workflow" | "fork_run";
  /** The token's id, the OIDC subject, the run's id. */
  readonly id: string;
  readonly name: string;
  /** Lower-case slug; null = every organisation, which only the service's own bot has. */
  readonly organisation: string | null;
  /** `owner/name` in lower case, the one repository that it reaches; null = all of the organisation. */
  readonly repository: string | null;
  readonly scopes: readonly TokenScope[];
  /** May name the person on whose behalf it acts. */
  readonly mayActForOthers: boolean;
  /** What a workflow runs on; null for everybody else. */
  readonly checkout: { readonly sha: string; readonly ref: string } | null;
}

/** A token that is known, with what became of it. */
export interface KnownToken {
  readonly principal: Principal;
  readonly state: "valid" | "expired" | "revoked";
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
  /** The token; null when there is no such one. Revoking twice keeps the first time. */
  revoke(id: string): Promise<TokenRecord | null>;
  /** Whose token it is, also when it is no longer valid; null for a malformed or unknown one. Compared in constant time. */
  identify(token: string): Promise<KnownToken | null>;
  /** Null for a malformed, unknown, expired or revoked token. */
  authenticate(token: string): Promise<Principal | null>;
  /** Whose token has this id, for who has shown the token before; null when it is unknown, expired or revoked. */
  principalOf(id: string): Promise<Principal | null>;
}

/** The part of it that lets people in. */
export type TokenAuthenticator = Pick<TokenService, "identify" | "authenticate">;
