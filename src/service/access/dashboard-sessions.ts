import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type {
  Device,
  Person,
  SessionRecord,
  SessionStore,
  SignedIn,
} from "../../store/access/session-store.ts";
import { isCommandLineSecret, seenGrainMs } from "./command-line-sign-ins.ts";
import type { Principal, TokenService } from "./tokens.ts";

/** A session ends after this time, used or not. */
export const sessionMs = 7 * 24 * 60 * 60_000;
/** A session that nobody used for this time has ended. */
const idleMs = 24 * 60 * 60_000;
/** Longer user agents are cut. */
const longestUserAgent = 300;

/** Who has signed in. */
export type Visitor =
  | { readonly kind: "token"; readonly principal: Principal }
  | ({ readonly kind: "person" } & Person);

/** A sign-in that has not ended. Times in milliseconds since the epoch. */
export interface SignIn {
  /** Identifies it among those of its owner. It gives no access. */
  readonly id: string;
  readonly device: Device | null;
  /** Whether it is that of the browser that asks. */
  readonly isThis: boolean;
  readonly createdAt: number;
  /** Exact to ten minutes. */
  readonly seenAt: number;
  readonly expiresAt: number;
}

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
  async beginWithToken(token: string, userAgent: string): Promise<string | null> {
    const principal = await this.#tokens.authenticate(token);
    if (!principal || !mayRead(principal)) return null;
    return this.#begin({ kind: "token", tokenId: principal.id }, userAgent);
  }

  /** The id of a new session of somebody whom GitHub has identified. */
  beginAs({ id, login }: Person, userAgent: string): Promise<string> {
    return this.#begin({ kind: "person", id, login }, userAgent);
  }

  /** Null when the session has ended, or its token is no longer valid. */
  async visitorOf(id: string): Promise<Visitor | null> {
    const session = await this.#find(id);
    if (session === null) return null;
    const now = this.#clock.now();
    if (now - session.seenAt > seenGrainMs) await this.#store.markSeen(session.idSha256, now);
    const { signedIn } = session;
    if (signedIn.kind === "person") return signedIn;
    const principal = await this.#tokens.principalOf(signedIn.tokenId);
    return principal && mayRead(principal) ? { kind: "token", principal } : null;
  }

  async end(id: string): Promise<void> {
    await this.#store.end([digestOf(id)]);
  }

  /** The sign-ins of the same account or token, also those of command lines, the last used first. Empty when this one has ended. */
  async listLike(id: string): Promise<readonly SignIn[]> {
    const own = await this.#find(id);
    if (own === null) return [];
    const all = await this.#store.listOf(own.signedIn);
    const signIns = all
      .filter((session) => this.#isValid(session))
      .map(({ idSha256, signedIn, ...rest }) => ({
        id: idSha256,
        isThis: idSha256 === own.idSha256,
        ...rest,
      }));
    return signIns.sort((a, b) => b.seenAt - a.seenAt || b.createdAt - a.createdAt);
  }

  /** Ends one of the sign-ins of the same account or token, or all others. Returns how many it has ended. */
  async endLike(id: string, which: SignIn["id"] | "others"): Promise<number> {
    const all = await this.listLike(id);
    const ended = all.filter((one) => (which === "others" ? !one.isThis : one.id === which));
    await this.#store.end(ended.map((one) => one.id));
    return ended.length;
  }

  async #find(id: string): Promise<SessionRecord | null> {
    // A copied secret must not open the dashboard, where it could confirm further command lines.
    if (isCommandLineSecret(id)) return null;
    const session = await this.#store.find(digestOf(id));
    return session && this.#isValid(session) ? session : null;
  }

  /** A browser's session also ends when nobody uses it. */
  #isValid({ device, seenAt, expiresAt }: SessionRecord): boolean {
    const now = this.#clock.now();
    return expiresAt > now && (device?.kind === "command_line" || seenAt + idleMs > now);
  }

  async #begin(signedIn: SignedIn, userAgent: string): Promise<string> {
    const id = randomBytes(32).toString("base64url");
    const now = this.#clock.now();
    const times = { createdAt: now, seenAt: now, expiresAt: now + sessionMs };
    const device = { kind: "browser", userAgent: userAgent.slice(0, longestUserAgent) } as const;
    await this.#store.add({ idSha256: digestOf(id), signedIn, device, ...times });
    return id;
  }
}

function mayRead({ scopes }: Principal): boolean {
  return scopes.includes("read") || scopes.includes("admin");
}

function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}
