import { randomBytes, timingSafeEqual } from "node:crypto";

/** Why a request may not use the set-up. */
export type SetupRefusal =
  | "SETUP_TOKEN_NEEDED"
  | "SETUP_TOKEN_USED"
  | "SETUP_STATE_MISMATCH"
  | "SETUP_EXPIRED"
  | "SETUP_DONE";

/** After this time, the service has to be started again for a new set-up. */
export const setupMs = 60 * 60_000;

/**
 * Allows one browser to do the set-up, once. The token from the log begins it. A state proves that the browser that GitHub sends back began
 * the flow here. Once the credentials are saved, the set-up is over.
 */
export class SetupGuard {
  readonly token = secret();
  readonly #expiresAt: number;
  /** The secret of the browser that began the set-up. It replaces the token, which stays in histories and logs. */
  #session: string | null = null;
  #state: string | null = null;
  #isDone = false;

  constructor(startedAt: number) {
    this.#expiresAt = startedAt + setupMs;
  }

  /** The first browser that shows the token owns the set-up from then on. */
  begin(token: string, now: number): { readonly session: string } | { readonly code: SetupRefusal } {
    if (now >= this.#expiresAt) return { code: "SETUP_EXPIRED" };
    if (!isSame(token, this.token)) return { code: "SETUP_TOKEN_NEEDED" };
    if (this.#session !== null) return { code: "SETUP_TOKEN_USED" };
    this.#session = secret();
    return { session: this.#session };
  }

  /** Returns why the browser with this session may not continue; null when it may. */
  refusalOf(session: string, now: number): { readonly code: SetupRefusal } | null {
    if (this.#session === null || !isSame(session, this.#session)) return { code: "SETUP_TOKEN_NEEDED" };
    if (this.#isDone) return { code: "SETUP_DONE" };
    return now < this.#expiresAt ? null : { code: "SETUP_EXPIRED" };
  }

  /** Creates the state that GitHub has to send back. It replaces the previous one. */
  issueState(): string {
    this.#state = secret();
    return this.#state;
  }

  /** Returns whether this is the state that was issued last. A state is valid once. */
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
