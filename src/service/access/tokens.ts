import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { WorkflowIdentity } from "../../ports/code-host/app.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { AuditChange } from "../../store/access/audit-log.ts";
import type { TokenRecord, TokenScope, TokenStore } from "../../store/access/token-store.ts";
import { changesBetween } from "./audit-changes.ts";

/** `ty_<12 id characters>_<43 secret characters>`, so that leaked tokens are easy to search for. */
const tokenPattern = /^ty_([0-9a-z]{12})_([\w-]{43})$/;
/** The last use of a token is written at most this often, so that not every request writes. */
const lastUsedGrainMs = 60_000;

export class Tokens implements TokenService {
  readonly #store: TokenStore;
  readonly #clock: Clock;

  constructor(store: TokenStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async create(
    token: Parameters<TokenService["create"]>[0],
  ): Promise<{ token: string; record: TokenRecord }> {
    const id = randomBytes(6).toString("hex");
    const secret = randomBytes(32).toString("base64url");
    const record: TokenRecord = {
      ...token,
      id,
      organisation: nameKey(token.organisation),
      secretSha256: sha256(secret).toString("hex"),
      createdAt: this.#clock.now(),
      revokedAt: null,
      lastUsedAt: null,
    };
    await this.#store.add(record);
    return { token: `ty_${id}_${secret}`, record };
  }

  list(organisation: string | null): Promise<readonly TokenRecord[]> {
    return this.#store.list(organisation === null ? null : nameKey(organisation));
  }

  async revoke(id: string): Promise<TokenRecord | null> {
    return (await this.#store.revoke(id, this.#clock.now())) ? this.#store.find(id) : null;
  }

  async identify(token: string): Promise<KnownToken | null> {
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secret === undefined) return null;
    const record = await this.#store.find(id);
    const expected = record ? Buffer.from(record.secretSha256, "hex") : sha256("");
    const matches = timingSafeEqual(sha256(secret), expected);
    if (!record || !matches) return null;
    return this.#use(record);
  }

  async authenticate(token: string): Promise<Principal | null> {
    return validPrincipal(await this.identify(token));
  }

  async principalOf(id: string): Promise<Principal | null> {
    const record = await this.#store.find(id);
    return record && validPrincipal(await this.#use(record));
  }

  async #use(record: TokenRecord): Promise<KnownToken> {
    const now = this.#clock.now();
    const state = stateOfToken(record, now);
    if (state === "valid" && now - (record.lastUsedAt ?? 0) > lastUsedGrainMs)
      await this.#store.markUsed(record.id, now);
    return { principal: principalOf(record), state };
  }
}

/**
 * Authenticates the service's own bot in addition to tokens, by a secret that exists only in this process.
 */
export class TokensAndOurBot implements TokenAuthenticator {
  readonly #tokens: TokenService;
  readonly #secret: string;

  constructor(tokens: TokenService, secret: string) {
    this.#tokens = tokens;
    this.#secret = secret;
  }

  async identify(token: string): Promise<KnownToken | null> {
    if (!timingSafeEqual(sha256(token), sha256(this.#secret))) return this.#tokens.identify(token);
    return { principal: ourBot, state: "valid" };
  }

  async authenticate(token: string): Promise<Principal | null> {
    return validPrincipal(await this.identify(token));
  }
}

const ourBot: Principal = {
  kind: "bot",
  id: "bot",
  name: "trainyard",
  organisation: null,
  repository: null,
  scopes: ["admin"],
  mayActForOthers: true,
  checkout: null,
};

function principalOf({ id, name, organisation, scopes }: TokenRecord): Principal {
  const reach = { organisation, repository: null, scopes };
  const mayActForOthers = scopes.includes("bot");
  return { kind: "token", id, name, ...reach, mayActForOthers, checkout: null };
}

export function stateOfToken({ revokedAt, expiresAt }: TokenRecord, now: number): KnownToken["state"] {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "valid";
}

function validPrincipal(known: KnownToken | null): Principal | null {
  return known?.state === "valid" ? known.principal : null;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export const tokenScopes = [
  "read",
  "submit",
  "queue:admin",
  "tests:upload",
  "bot",
  "admin",
] as const satisfies readonly TokenScope[];

/** Lists what the creation or the revocation of a token changes, for the audit log. */
export function tokenChanges(
  { name, scopes, expiresAt }: TokenRecord,
  act: "createToken" | "revokeToken",
): AuditChange[] {
  const fields = { name, scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() };
  return act === "createToken" ? changesBetween({}, fields) : changesBetween(fields, {});
}

/** The sender of a request, and its permissions. */
export interface Principal {
  /** An API token, the service's own bot, a workflow by its OIDC token, a run of a fork's workflow, or a person. */
  readonly kind: "token" | "bot" | "workflow" | "fork_run" | "person";
  /** The token's id, the OIDC subject, the run's id, or the id of a person's account. */
  readonly id: string;
  readonly name: string;
  /** Lower-case slug; null means every organisation, for the service's own bot only. */
  readonly organisation: string | null;
  /**
   * The one repository that it can access (`owner/name` in lower case); null means all of the organisation. A person gets one for each
   * request, when GitHub has told their role.
   */
  readonly repository: string | null;
  readonly scopes: readonly TokenScope[];
  /** It may name the person on whose behalf it acts. */
  readonly mayActForOthers: boolean;
  /** The commit and ref that a workflow runs on; null for other kinds. */
  readonly checkout: { readonly sha: string; readonly ref: string } | null;
}

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

/**
 * The scopes of a workflow in its repository. Of the endpoints with these scopes, only those that declare it
 * accept a workflow's token.
 */
const workflowScopes: readonly TokenScope[] = ["read", "submit", "tests:upload"];

export function workflowPrincipal({ subject, workflow, repository, sha, ref }: WorkflowIdentity): Principal {
  return {
    kind: "workflow",
    id: subject,
    name: workflow,
    organisation: nameKey(repository.owner),
    repository: nameKey(`${repository.owner}/${repository.name}`),
    scopes: workflowScopes,
    mayActForOthers: false,
    checkout: { sha, ref },
  };
}

/**
 * Whether a workflow runs on the head of a pull request. For `pull_request`, GitHub checks out the test
 * merge, so the token contains no head SHA. It contains the pull request's number, in the ref of that merge.
 */
export function runsOn({ sha, ref }: NonNullable<Principal["checkout"]>, pr: number, head: string): boolean {
  return sha === head || ref === `refs/pull/${pr}/merge` || ref === `refs/pull/${pr}/head`;
}
