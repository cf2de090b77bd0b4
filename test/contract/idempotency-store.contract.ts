import { describe, expect, it } from "@jest/globals";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const request = { organisation: "acme", key: "k1", request: "submit abc" };
const times = { now: 1_000, expired: 0, stalled: 500 };

export function idempotencyStoreContract(create: CreateDatabase): void {
  describe("the idempotency key store", () => {
    const open = databaseForEachTest(create);

    it("keeps the response to a key's request", async () => {
      const { idempotency } = await open();
      expect(await idempotency.begin(request, times)).toEqual({ kind: "new" });
      expect(await idempotency.begin(request, times)).toEqual({ kind: "under_way" });
      await idempotency.finish(request, '{"a":1}');
      expect(await idempotency.begin(request, times)).toEqual({ kind: "answered", answer: '{"a":1}' });
    });

    it("detects another request with the same key, and separates organisations", async () => {
      const { idempotency } = await open();
      await idempotency.begin(request, times);
      expect(await idempotency.begin({ ...request, request: "cancel abc" }, times)).toEqual({
        kind: "other_request",
      });
      expect(await idempotency.begin({ ...request, organisation: "other" }, times)).toEqual({ kind: "new" });
    });

    it("gives a key to one of many concurrent callers", async () => {
      const { idempotency } = await open();
      const states = await Promise.all(Array.from({ length: 20 }, () => idempotency.begin(request, times)));
      expect(states.filter(({ kind }) => kind === "new")).toHaveLength(1);
    });

    it("releases a key whose request was abandoned or has stalled", async () => {
      const { idempotency } = await open();
      await idempotency.begin(request, times);
      await idempotency.forget(request);
      expect(await idempotency.begin(request, times)).toEqual({ kind: "new" });
      const later = { now: 9_000, expired: 0, stalled: 8_500 };
      expect(await idempotency.begin(request, later)).toEqual({ kind: "new" });
      expect(await idempotency.begin(request, later)).toEqual({ kind: "under_way" });
    });

    it("forgets expired keys", async () => {
      const { idempotency } = await open();
      await idempotency.begin(request, times);
      await idempotency.finish(request, "{}");
      const later = { now: 9_000, expired: 1_001, stalled: 8_500 };
      expect(await idempotency.begin({ ...request, request: "cancel abc" }, later)).toEqual({ kind: "new" });
    });
  });
}
