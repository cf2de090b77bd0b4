import { randomBytes, timingSafeEqual } from "node:crypto";

/** Why the set-up is not open to a request. */
export type SetupRefusal =
  | "SETUP_TOKEN_NEEDED"
  | "SETUP_TOKEN_USED"
  | "SETUP_STATE_MISMATCH"
  | "SETUP_EXPIRED"
  | "SETUP_DONE";

/** Whoever comes later starts the service again. */
export const setupMs = 60 * 60_000;

/**
 * Lets one browser through the set-up, once: the token from the log begins it, a state proves that what GitHub sends the browser
 * back with was begun there, and with the credentials it is over.
 */
export class SetupGuard {
  readonly token = secret();
  readonly #expiresAt: number;
  /** What the one browser shows from then on: the token stays in histories and logs. */
  #session: string | null = null;
  #state: string | null = null;
  #isDone = false;

  constructor(startedAt: number) {
    this.#expiresAt = startedAt + setupMs;
  }

  /** The browser that shows the token first has the set-up from then on. */
  begin(token: string, now: number): { readonly session: string } | { readonly code: SetupRefusal } {
    if (now >= this.#expiresAt) return { code: "SETUP_EXPIRED" };
    if (!isSame(token, this.token)) return { code: "SETUP_TOKEN_NEEDED" };
    if (this.#session !== null) return { code: "SETUP_TOKEN_USED" };
    this.#session = secret();
    return { session: this.#session };
  }

  /** Null: the browser with this session may go on. */
  refusalOf(session: string, now: number): { readonly code: SetupRefusal } | null {
    if (this.#session === null || !isSame(session, this.#session)) return { code: "SETUP_TOKEN_NEEDED" };
    if (this.#isDone) return { code: "SETUP_DONE" };
    return now < this.#expiresAt ? null : { code: "SETUP_EXPIRED" };
  }

  /** What GitHub is to send back. Replaces the one before. */
  issueState(): string {
    this.#state = secret();
    return this.#state;
  }

  /** Whether it is the state that was issued last, which counts once. */
  takeState(state: string): boolean {
    if (this.#state === null || !isSame(state, this.#state)) return false;
    this.#state = null;
    return true;
  }

  finish(): void {
    this.#isDone = true;
  }
}

function secret(): string {
  return randomBytes(24).toString("base64url");
}

function isSame(given: string, secret: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(secret);
  return a.length === b.length && timingSafeEqual(a, b);
}
