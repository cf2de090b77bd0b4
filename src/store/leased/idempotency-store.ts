import type { Writes } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";

/** A command with an idempotency key. */
export interface KeyedRequest {
  readonly organisation: string;
  readonly key: string;
  /** Identifies the command: its endpoint and a digest of its body. */
  readonly request: string;
}

export type KeyState =
  /** Unknown key: carry out the command, then call `finish` or `forget`. */
  | { readonly kind: "new" }
  /** The command was carried out, with this answer. */
  | { readonly kind: "answered"; readonly answer: string }
  | { readonly kind: "under_way" }
  /** The key was used for another command. */
  | { readonly kind: "other_request" };

/**
 * Remembers the answers to commands, so that a repeated command gets the same answer and is not carried out
 * twice.
 */
export class IdempotencyStore {
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  /**
   * Claims a key. Keys older than `expired` are deleted. A key that has been in progress since before
   * `stalled` counts as new, because the process that claimed it has died.
   */
  begin(
    request: KeyedRequest,
    { now, expired, stalled }: { now: number; expired: number; stalled: number },
  ): Promise<KeyState> {
    return this.#writes.run(async (tx) => {
      await tx.deleteFrom("idempotency_keys").where("begun_at", "<", expired).execute();
      const known = await of(tx, request).executeTakeFirst();
      if (known && known.request !== request.request) return { kind: "other_request" };
      if (known?.answer != null) return { kind: "answered", answer: known.answer };
      if (known && known.begun_at >= stalled) return { kind: "under_way" };
      await tx
        .insertInto("idempotency_keys")
        .values({ ...request, answer: null, begun_at: now })
        .onConflict((same) => same.columns(["organisation", "key"]).doUpdateSet({ begun_at: now }))
        .execute();
      return { kind: "new" };
    });
  }

  async finish({ organisation, key }: KeyedRequest, answer: string): Promise<void> {
    await this.#writes.run((tx) =>
      tx
        .updateTable("idempotency_keys")
        .set({ answer })
        .where("organisation", "=", organisation)
        .where("key", "=", key)
        .execute(),
    );
  }

  /** Frees the key, because nothing was done. */
  async forget({ organisation, key }: KeyedRequest): Promise<void> {
    await this.#writes.run((tx) =>
      tx
        .deleteFrom("idempotency_keys")
        .where("organisation", "=", organisation)
        .where("key", "=", key)
        .execute(),
    );
  }
}

function of(tx: Tx, { organisation, key }: KeyedRequest) {
  return tx
    .selectFrom("idempotency_keys")
    .select(["request", "answer", "begun_at"])
    .where("organisation", "=", organisation)
    .where("key", "=", key);
}
