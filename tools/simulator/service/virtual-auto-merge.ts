import { alice, aliceId, wholeSecond } from "./virtual-comments.ts";

/** The pull requests for which auto-merge is enabled. The code host's own rules never let it merge one. */
export class VirtualAutoMerge {
  readonly #enabledAt = new Map<number, number>();

  /** Milliseconds since the epoch; null = it is not enabled. */
  enabledAt(pr: number): number | null {
    return this.#enabledAt.get(pr) ?? null;
  }

  by(pr: number) {
    return this.#enabledAt.has(pr) ? { login: alice.name, id: aliceId, isBot: false } : null;
  }

  /** Returns whether that is a change. */
  set(pr: number, isEnabled: boolean, now: number): boolean {
    if (isEnabled === this.#enabledAt.has(pr)) return false;
    if (isEnabled) this.#enabledAt.set(pr, wholeSecond(now));
    else this.#enabledAt.delete(pr);
    return true;
  }
}
