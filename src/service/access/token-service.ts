import type { TokenRecord, TokenScope } from "../../store/access/token-store.ts";

export const tokenScopes = [
  "read",
  "submit",
  "queue:admin",
  "tests:upload",
  "bot",
  "admin",
] as const satisfies readonly TokenScope[];

/** The sender of a request, and its permissions. */
export interface Principal {
  /** An API token, the service's own bot, a workflow by its OIDC token, or a run of a fork's workflow. */
  readonly kind: "token" | "bot" | "workflow" | "fork_run";
  /** The token's id, the OIDC subject, or the run's id. */
  readonly id: string;
  readonly name: string;
  /** Lower-case slug; null means every organisation, for the service's own bot only. */
  readonly organisation: string | null;
  /**
   * The one repository that it can access (`owner/name` in lower case); null means all of the organisation.
   */
  readonly repository: string | null;
  readonly scopes: readonly TokenScope[];
  /** It may name the person on whose behalf it acts. */
  readonly mayActForOthers: boolean;
  /** The commit and ref that a workflow runs on; null for other kinds. */
  readonly checkout: { readonly sha: string; readonly ref: string } | null;
}

/** A known token and its state. */
export interface KnownToken {
  readonly principal: Principal;
  readonly state: "valid" | "expired" | "revoked";
}

export interface TokenService {
  /** Returns the full token, which is shown once and never stored. */
  create(token: {
    organisation: string;
    name: string;
    scopes: readonly TokenScope[];
    expiresAt: number | null;
  }): Promise<{ token: string; record: TokenRecord }>;
  list(organisation: string | null): Promise<readonly TokenRecord[]>;
  /** The revoked token; null when there is none. A second revocation keeps the first time. */
  revoke(id: string): Promise<TokenRecord | null>;
  /**
   * The principal of a token, also when the token is no longer valid; null for a malformed or unknown one.
   * Compares in constant time.
   */
  identify(token: string): Promise<KnownToken | null>;
  /** Null for a malformed, unknown, expired or revoked token. */
  authenticate(token: string): Promise<Principal | null>;
  /**
   * The principal of a token id, for a caller that has presented the token before; null when it is unknown,
   * expired or revoked.
   */
  principalOf(id: string): Promise<Principal | null>;
}

/** The methods that authenticate requests. */
export type TokenAuthenticator = Pick<TokenService, "identify" | "authenticate">;
