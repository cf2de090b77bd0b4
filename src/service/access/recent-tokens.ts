import type { Clock } from "../../ports/code-host/runtime.ts";
import type { TokenRecord, TokenStore } from "../../ports/token-store.ts";

/** A token that another process has revoked is refused after this time at the latest. */
const recentMs = 1_000;
const maxTokens = 1_000;

interface Recent {
  readonly record: TokenRecord;
  readonly readAt: number;
}

/** Reads a token at most once a second, because every request of the API presents one. Unknown ids are not remembered. */
export class RecentTokens {
  readonly #store: Pick<TokenStore, "find">;
  readonly #clock: Clock;
  readonly #recent = new Map<string, Recent>();

  constructor(store: Pick<TokenStore, "find">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async find(id: string): Promise<TokenRecord | null> {
    const known = this.#recent.get(id);
    const age = known ? this.#clock.now() - known.readAt : recentMs;
    // A clock that was set back must not make it last longer.
    if (known && age >= 0 && age < recentMs) return known.record;
    const readAt = this.#clock.now();
    const record = await this.#store.find(id);
    this.#recent.delete(id);
    if (record) this.#remember({ record, readAt });
    return record;
  }

  /** Records a use, so that requests of the same second do not write it again. */
  noteUse(record: TokenRecord, at: number): void {
    const known = this.#recent.get(record.id);
    if (known) this.#recent.set(record.id, { ...known, record: { ...known.record, lastUsedAt: at } });
  }

  forget(id: string): void {
    this.#recent.delete(id);
  }

  #remember(recent: Recent): void {
    this.#recent.set(recent.record.id, recent);
    const [oldest] = this.#recent.size > maxTokens ? this.#recent.keys() : [];
    if (oldest !== undefined) this.#recent.delete(oldest);
  }
}
