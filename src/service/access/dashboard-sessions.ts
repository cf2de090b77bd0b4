import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Person, SessionStore, SignedIn } from "../../store/access/session-store.ts";
import { isCommandLineSecret } from "./command-line-sign-ins.ts";
import type { Principal, TokenService } from "./tokens.ts";

/** A session ends after this time, used or not. */
export const sessionMs = 7 * 24 * 60 * 60_000;
/** A session that nobody used for this time has ended. */
const idleMs = 24 * 60 * 60_000;
/** The last use is written at most this often, so that not every page writes. */
const seenGrainMs = 10 * 60_000;

/** Who has signed in. */
export type Visitor =
  | { readonly kind: "token"; readonly principal: Principal }
  | ({ readonly kind: "person" } & Person);

/**
 * Browser sessions that are signed in with an API token or with a GitHub account. The browser keeps a random id, never the
 * token: the token gives access to more than the dashboard, and would stay valid after its owner signs out.
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
  async beginWithToken(token: string): Promise<string | null> {
    const principal = await this.#tokens.authenticate(token);
    if (!principal || !mayRead(principal)) return null;
    return this.#begin({ kind: "token", tokenId: principal.id });
  }

  /** The id of a new session of somebody whom GitHub has identified. */
  beginAs({ id, login }: Person): Promise<string> {
    return this.#begin({ kind: "person", id, login });
  }

  /** Null when the session has ended, or its token is no longer valid. */
  async visitorOf(id: string): Promise<Visitor | null> {
    // A copied secret must not open the dashboard, where it could confirm further command lines.
    if (isCommandLineSecret(id)) return null;
    const now = this.#clock.now();
    const session = await this.#store.find(digestOf(id));
    if (!session || session.expiresAt <= now || session.seenAt + idleMs <= now) return null;
    if (now - session.seenAt > seenGrainMs) await this.#store.markSeen(session.idSha256, now);
    const { signedIn } = session;
    if (signedIn.kind === "person") return signedIn;
    const principal = await this.#tokens.principalOf(signedIn.tokenId);
    return principal && mayRead(principal) ? { kind: "token", principal } : null;
  }

  async end(id: string): Promise<void> {
    await this.#store.end(digestOf(id));
  }

  async #begin(signedIn: SignedIn): Promise<string> {
    const id = randomBytes(32).toString("base64url");
    const now = this.#clock.now();
    const times = { createdAt: now, seenAt: now, expiresAt: now + sessionMs };
    await this.#store.add({ idSha256: digestOf(id), signedIn, ...times });
    return id;
  }
}

function mayRead({ scopes }: Principal): boolean {
  return scopes.includes("read") || scopes.includes("admin");
}

function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}
