import type { IdempotencyStore, KeyedRequest, KeyState } from "../../ports/idempotency-store.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";

export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

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
