import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { TokenRecord, TokenStore } from "../../store/access/token-store.ts";
import type { KnownToken, Principal, TokenAuthenticator, TokenService } from "./token-service.ts";

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
    const state = stateOf(record, now);
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

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: number): KnownToken["state"] {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "valid";
}

function validPrincipal(known: KnownToken | null): Principal | null {
  return known?.state === "valid" ? known.principal : null;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
