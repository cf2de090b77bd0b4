import { describe, expect, it } from "@jest/globals";
import { buildToken } from "./build-token.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function tokenStoreContract(create: CreateDatabase): void {
  describe("the token store", () => {
    const open = databaseForEachTest(create);

    it("finds a token by its id, including revoked and expired ones", async () => {
      const { tokens } = await open();
      const token = buildToken("abc", { expiresAt: 2_000, revokedAt: 1_500, lastUsedAt: 1_200 });
      await tokens.add(token);
      expect(await tokens.find("abc")).toEqual(token);
      expect(await tokens.find("ABC")).toBeNull();
    });

    it("rejects a second token with the same id", async () => {
      const { tokens } = await open();
      await tokens.add(buildToken("abc"));
      await expect(tokens.add(buildToken("abc", { name: "other", scopes: ["admin"] }))).rejects.toThrow();
      expect(await tokens.find("abc")).toEqual(buildToken("abc"));
    });

    it("lists the tokens of one or all organisations, the newest first", async () => {
      const { tokens } = await open();
      await tokens.add(buildToken("old", { createdAt: 1 }));
      await tokens.add(buildToken("foreign", { createdAt: 2, organisation: "elsewhere" }));
      await tokens.add(buildToken("new", { createdAt: 3 }));
      expect((await tokens.list("octo-org")).map((token) => token.id)).toEqual(["new", "old"]);
      expect((await tokens.list(null)).map((token) => token.id)).toEqual(["new", "foreign", "old"]);
      expect(await tokens.list("nobody")).toEqual([]);
    });

    it("revokes a token once, and keeps the first time", async () => {
      const { tokens } = await open();
      await tokens.add(buildToken("abc"));
      expect(await tokens.revoke("abc", 5_000)).toBe(true);
      expect(await tokens.revoke("abc", 6_000)).toBe(true);
      expect((await tokens.find("abc"))?.revokedAt).toBe(5_000);
      expect(await tokens.revoke("nobody", 5_000)).toBe(false);
    });

    it("keeps the time of the last use, regardless of the order of the reports", async () => {
      const { tokens } = await open();
      await tokens.add(buildToken("abc"));
      await tokens.add(buildToken("def"));
      for (const at of [2_000, 3_000, 2_500]) await tokens.markUsed("abc", at);
      await tokens.markUsed("nobody", 1);
      expect((await tokens.find("abc"))?.lastUsedAt).toBe(3_000);
      expect((await tokens.find("def"))?.lastUsedAt).toBeNull();
    });
  });
}
