import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { SessionStore } from "../../store/access/session-store.ts";
import type { Principal, TokenService } from "./tokens.ts";

export const sessionMs = 7 * 24 * 60 * 60_000;

/**
 * Browser sessions that are signed in with an API token. The browser keeps a random id, never the token: the
 * token gives access to more than the dashboard, and would stay valid after its owner signs out.
 */
export class DashboardSessions {
  readonly #store: SessionStore;
  readonly #tokens: Pick<TokenService, "authenticate" | "principalOf">;
  readonly #clock: Clock;

  constructor(store: SessionStore, tokens: Pick<TokenService, "authenticate" | "principalOf">, clock: Clock) {
    this.#store = store;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /** The id of a new session; null when the token is not valid or lacks read access. */
  async begin(token: string): Promise<string | null> {
    const principal = await this.#tokens.authenticate(token);
    if (!principal || !mayRead(principal)) return null;
    const id = randomBytes(32).toString("base64url");
    const createdAt = this.#clock.now();
    await this.#store.add({
      idSha256: digestOf(id),
      tokenId: principal.id,
      createdAt,
      expiresAt: createdAt + sessionMs,
    });
    return id;
  }

  /** The principal of a session; null when the session has ended or its token is no longer valid. */
  async principalOf(id: string): Promise<Principal | null> {
    const session = await this.#store.find(digestOf(id));
    if (!session || session.expiresAt <= this.#clock.now()) return null;
    const principal = await this.#tokens.principalOf(session.tokenId);
    return principal && mayRead(principal) ? principal : null;
  }

  async end(id: string): Promise<void> {
    await this.#store.remove(digestOf(id));
  }
}

function mayRead({ scopes }: Principal): boolean {
  return scopes.includes("read") || scopes.includes("admin");
}

function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}
