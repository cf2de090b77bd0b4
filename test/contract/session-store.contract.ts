import { describe, expect, it } from "@jest/globals";
import type { SessionRecord } from "../../src/store/access/session-store.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const buildSession = (idSha256: string, expiresAt: number): SessionRecord => ({
  idSha256,
  tokenId: "0123456789ab",
  createdAt: expiresAt - 1_000,
  expiresAt,
});

export function sessionStoreContract(create: CreateDatabase): void {
  describe("the session store", () => {
    const open = databaseForEachTest(create);

    it("keeps a session until it is removed", async () => {
      const { sessions } = await open();
      await sessions.add(buildSession("a", 2_000));
      await sessions.add(buildSession("b", 2_000));
      expect(await sessions.find("a")).toEqual(buildSession("a", 2_000));
      await sessions.remove("a");
      await sessions.remove("a");
      expect(await sessions.find("a")).toBeNull();
      expect(await sessions.find("b")).toEqual(buildSession("b", 2_000));
    });

    it("forgets expired sessions when another one is added", async () => {
      const { sessions } = await open();
      await sessions.add(buildSession("a", 2_000));
      await sessions.add(buildSession("b", 2_999));
      expect(await sessions.find("a")).not.toBeNull();
      await sessions.add(buildSession("c", 3_000));
      expect(await sessions.find("a")).toBeNull();
      expect(await sessions.find("b")).not.toBeNull();
    });
  });
}
