import { describe, expect, it } from "@jest/globals";
import type { SessionRecord } from "../../src/store/access/session-store.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const buildSession = (idSha256: string, expiresAt: number): SessionRecord => ({
  idSha256,
  signedIn: { kind: "token", tokenId: "0123456789ab" },
  device: null,
  createdAt: expiresAt - 1_000,
  seenAt: expiresAt - 1_000,
  expiresAt,
});

export function sessionStoreContract(create: CreateDatabase): void {
  describe("the session store", () => {
    const open = databaseForEachTest(create);

    it("keeps a session until it ends, and gives its id to no other one before it would have expired", async () => {
      const { sessions } = await open();
      await sessions.add(buildSession("a", 2_000));
      await sessions.add(buildSession("b", 2_000));
      expect(await sessions.find("a")).toEqual(buildSession("a", 2_000));
      await sessions.end(["a"]);
      await sessions.end(["a"]);
      expect(await sessions.find("a")).toBeNull();
      expect(await sessions.find("b")).toEqual(buildSession("b", 2_000));
      expect(await sessions.add({ ...buildSession("a", 3_000), createdAt: 1_999 })).toBe(false);
      expect(await sessions.find("a")).toBeNull();
      expect(await sessions.add(buildSession("a", 3_000))).toBe(true);
    });

    it("ends all sessions of one account, and no others", async () => {
      const { sessions } = await open();
      const of = (idSha256: string, id: number): SessionRecord => ({
        ...buildSession(idSha256, 2_000),
        signedIn: { kind: "person", id, login: "alice" },
      });
      for (const session of [of("a", 7), of("b", 7), of("c", 8), buildSession("d", 2_000)])
        await sessions.add(session);
      await sessions.markSeen("c", 1_500);
      await sessions.removeAllOf(7);
      const left = await Promise.all(["a", "b", "c", "d"].map((id) => sessions.find(id)));
      expect(left).toEqual([null, null, { ...of("c", 8), seenAt: 1_500 }, buildSession("d", 2_000)]);
    });

    it("keeps the last hundred sessions of an account, those that were ended included, and all of others", async () => {
      const { sessions } = await open();
      const of = (idSha256: string, id: number, at: number): SessionRecord => ({
        idSha256,
        signedIn: { kind: "person", id, login: "mallory" },
        device: null,
        ...{ createdAt: at, seenAt: at, expiresAt: 10_000 },
      });
      await sessions.add(of("other", 8, 1));
      await sessions.add({ ...buildSession("token", 10_000), createdAt: 1 });
      await sessions.add(of("oldest", 7, 2));
      for (let n = 0; n < 99; n++) await sessions.add(of(`later ${n}`, 7, 3));
      await sessions.end(["later 0"]);
      expect(await sessions.find("oldest")).not.toBeNull();
      await sessions.add(of("newest", 7, 3));
      expect(await sessions.find("oldest")).toBeNull();
      for (const kept of ["other", "token", "later 1", "newest"])
        expect(await sessions.find(kept)).not.toBeNull();
      // Nothing is removed for a session that is not added.
      expect(await sessions.add(of("later 1", 7, 9))).toBe(false);
      expect(await sessions.add(of("oldest", 7, 9))).toBe(true);
    });

    it("lists the sessions of an account, or of a token, with where they were begun", async () => {
      const { sessions } = await open();
      const of = (idSha256: string, id: number, device: SessionRecord["device"]): SessionRecord => ({
        ...{ ...buildSession(idSha256, 2_000), device },
        signedIn: { kind: "person", id, login: "alice" },
      });
      const browser = of("a", 7, { kind: "browser", userAgent: "" });
      const laptop = of("b", 7, { kind: "command_line", machine: "laptop" });
      const ended = of("c", 7, null);
      for (const session of [browser, laptop, ended, of("d", 8, null), buildSession("e", 2_000)])
        await sessions.add(session);
      await sessions.end(["c"]);
      const listed = await sessions.listOf({ kind: "person", id: 7, login: "" });
      expect(listed.toSorted((one, other) => one.idSha256.localeCompare(other.idSha256))).toEqual([
        browser,
        laptop,
      ]);
      const { signedIn } = buildSession("e", 2_000);
      expect(await sessions.listOf(signedIn)).toEqual([buildSession("e", 2_000)]);
      await sessions.end(["e"]);
      expect(await sessions.listOf(signedIn)).toEqual([]);
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
