import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../ports/runtime.ts";
import type { TokenRecord, TokenStore } from "../ports/token-store.ts";
import type { Principal, TokenService } from "./token-service.ts";

/** `ty_<12 id characters>_<43 secret characters>`: leaks are easy to search for. */
const tokenPattern = /^ty_([0-9a-z]{12})_([\w-]{43})$/;
/** Not every request needs to write when its token was last used. */
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
      organisation: token.organisation.toLowerCase(),
      secretSha256: sha256(secret).toString("hex"),
      createdAt: this.#clock.now(),
      revokedAt: null,
      lastUsedAt: null,
    };
    await this.#store.add(record);
    return { token: `ty_${id}_${secret}`, record };
  }

  list(organisation: string | null): Promise<readonly TokenRecord[]> {
    return this.#store.list(organisation?.toLowerCase() ?? null);
  }

  revoke(id: string): Promise<boolean> {
    return this.#store.revoke(id, this.#clock.now());
  }

  async authenticate(token: string): Promise<Principal | null> {
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secret === undefined) return null;
    const record = await this.#store.find(id);
    const expected = record ? Buffer.from(record.secretSha256, "hex") : sha256("");
    const matches = timingSafeEqual(sha256(secret), expected);
    const now = this.#clock.now();
    if (!record || !matches || record.revokedAt !== null) return null;
    if (record.expiresAt !== null && record.expiresAt <= now) return null;
    if (now - (record.lastUsedAt ?? 0) > lastUsedGrainMs) await this.#store.markUsed(id, now);
    return {
      tokenId: id,
      name: record.name,
      organisation: record.organisation,
      scopes: record.scopes,
      mayActForOthers: record.scopes.includes("bot"),
    };
  }
}

/** Authenticates the service's own bot beside everybody's tokens, by a secret that exists only in this process. */
export class TokensAndOurBot implements Pick<TokenService, "authenticate"> {
  readonly #tokens: TokenService;
  readonly #secret: string;

  constructor(tokens: TokenService, secret: string) {
    this.#tokens = tokens;
    this.#secret = secret;
  }

  async authenticate(token: string): Promise<Principal | null> {
    if (!timingSafeEqual(sha256(token), sha256(this.#secret))) return this.#tokens.authenticate(token);
    return {
      tokenId: "bot",
      name: "trainyard",
      organisation: null,
      scopes: ["admin"],
      mayActForOthers: true,
    };
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
