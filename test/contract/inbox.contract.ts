import { describe, expect, it } from "@jest/globals";
import type { ClaimedDelivery, Inbox, InboxRow } from "../../src/ports/inbox.ts";
import { buildDelivery } from "./build-delivery.ts";
import { buildClaim } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function inboxContract(create: CreateDatabase): void {
  describe("the inbox", () => {
    const open = databaseForEachTest(create);

    it("gives back a delivery whole", async () => {
      const { inbox } = await open();
      const delivery = buildDelivery("guid-1", { subject: "issue_comment/17" });
      expect(await inbox.add(delivery)).toBe("added");
      expect(await inbox.nextDue()).toBe(100);
      expect(await inbox.claim(buildClaim(100))).toEqual([
        { ...delivery, row: expect.any(Number), claim: expect.any(String), attempts: 0 },
      ]);
    });

    it("takes a payload of 25 MiB", async () => {
      const { inbox } = await open();
      const payload = JSON.stringify({ body: "ü".repeat(12 * 1024 * 1024) });
      await inbox.add(buildDelivery("guid-1", { payload }));
      const [row] = await inbox.claim(buildClaim(100));
      expect(row?.payload === payload).toBe(true);
    });

    it("knows an id that it has seen, and keeps the first delivery", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("guid-1"));
      expect(await inbox.add(buildDelivery("guid-1", { payload: "{}" }))).toBe("known");
      expect(await inbox.depth()).toBe(1);
      expect((await inbox.claim(buildClaim(100)))[0]?.payload).toBe(buildDelivery("guid-1").payload);
    });

    it("knows a subject that it has seen under another id", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("guid-1", { subject: "issue_comment/17" }));
      expect(await inbox.add(buildDelivery("polled-1", { subject: "issue_comment/17" }))).toBe("known");
      expect(await inbox.add(buildDelivery("polled-2", { subject: "issue_comment/18" }))).toBe("added");
      expect(await inbox.add(buildDelivery("polled-1", { subject: null }))).toBe("added");
    });

    it("takes a delivery once when it comes in at two replicas at the same time", async () => {
      const replicas = [await open(), await open()];
      const answers = await Promise.all(
        [...replicas, ...replicas].map(({ inbox }) => inbox.add(buildDelivery("guid-1"))),
      );
      expect(answers.filter((answer) => answer === "added")).toHaveLength(1);
    });

    it("hands out the deliveries of a stream one at a time, in order of arrival", async () => {
      const { inbox } = await open();
      for (const id of ["1", "2", "3"]) await inbox.add(buildDelivery(id));
      await inbox.add(buildDelivery("4", { stream: "other", receivedAt: 200 }));
      expect(ids(await inbox.claim(buildClaim(200)))).toEqual(["1", "4"]);
      expect(await inbox.claim(buildClaim(200))).toEqual([]);
    });

    it("keeps id and subject known when a delivery was handled", async () => {
      const { inbox } = await open();
      const delivery = buildDelivery("guid-1", { subject: "issue_comment/17" });
      await inbox.add(delivery);
      await settleNext(inbox, 100);
      expect(await inbox.depth()).toBe(0);
      expect(await inbox.nextDue()).toBeNull();
      expect(await inbox.add(delivery)).toBe("known");
      expect(await inbox.add({ ...delivery, id: "polled-1" })).toBe("known");
    });

    it("hands out a postponed delivery again, before the rest of its stream", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      await inbox.add(buildDelivery("2"));
      const [row] = await inbox.claim(buildClaim(100));
      await inbox.postpone(rowOf(row), 900, "unavailable");
      expect(await inbox.claim(buildClaim(899))).toEqual([]);
      expect(await inbox.claim(buildClaim(900))).toEqual([
        { ...row, claim: expect.any(String), attempts: 1 },
      ]);
    });

    it("hands out a delivery again when its worker died", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      const [row] = await inbox.claim(buildClaim(100));
      expect(await inbox.claim(buildClaim(1_100))).toEqual([
        { ...row, claim: expect.any(String), attempts: 1 },
      ]);
    });

    it("keeps a renewed lease for longer", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      const [row] = await inbox.claim(buildClaim(100));
      await inbox.renew(rowOf(row), 5_000);
      expect(await inbox.claim(buildClaim(4_999))).toEqual([]);
      expect(ids(await inbox.claim(buildClaim(5_000)))).toEqual(["1"]);
    });

    it("never hands out a parked delivery again, and goes on with its stream", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1", { subject: "issue_comment/17" }));
      await inbox.add(buildDelivery("2"));
      const [row] = await inbox.claim(buildClaim(100));
      await inbox.park(rowOf(row), "cannot be read");
      expect(ids(await inbox.claim(buildClaim(5_000)))).toEqual(["2"]);
      expect(await inbox.depth()).toBe(1);
      expect(await inbox.add(buildDelivery("1"))).toBe("known");
      expect(await inbox.add(buildDelivery("3", { subject: "issue_comment/17" }))).toBe("known");
    });

    it("takes no notice of rows that are gone", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      const row = await settleNext(inbox, 100);
      await inbox.settle(row);
      await inbox.park(row, "late");
      await inbox.postpone(row, 900, "late");
      expect(await inbox.depth()).toBe(0);
    });

    it("forgets what was handled before a time, and nothing else", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("early"));
      await settleNext(inbox, 1_000);
      await inbox.add(buildDelivery("late"));
      await settleNext(inbox, 2_000);
      await inbox.add(buildDelivery("parked"));
      await inbox.park(rowOf((await inbox.claim(buildClaim(100)))[0]), "cannot be read");
      await inbox.add(buildDelivery("waiting"));
      expect(await inbox.forget(1_000)).toBe(0);
      expect(await inbox.forget(2_000)).toBe(1);
      for (const id of ["late", "parked", "waiting"])
        expect(await inbox.add(buildDelivery(id))).toBe("known");
      expect(await inbox.add(buildDelivery("early"))).toBe("added");
    });
  });
}

async function settleNext(inbox: Inbox, now: number): Promise<ClaimedDelivery> {
  const row = rowOf((await inbox.claim(buildClaim(now)))[0]);
  await inbox.settle(row);
  return row;
}

function ids(rows: readonly InboxRow[]): readonly string[] {
  return rows.map((row) => row.id);
}

function rowOf(row: InboxRow | undefined): ClaimedDelivery {
  if (!row) throw new Error("nothing was claimed");
  return row;
}
