import { describe, expect, it } from "@jest/globals";
import type { ClaimedDelivery, Inbox, InboxRow } from "../../src/store/leased/inbox.ts";
import { buildDelivery } from "./build-delivery.ts";
import { buildClaim } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function inboxContract(create: CreateDatabase): void {
  describe("the inbox", () => {
    const open = databaseForEachTest(create);

    it("returns a delivery unchanged", async () => {
      const { inbox } = await open();
      const delivery = buildDelivery("guid-1", { subject: "issue_comment/17" });
      expect(await inbox.add(delivery)).toBe("added");
      expect(await inbox.nextDue()).toBe(100);
      expect(await inbox.claim(buildClaim(100))).toEqual([
        { ...delivery, row: expect.any(Number), claim: expect.any(String), attempts: 0 },
      ]);
    });

    it("accepts a payload of 25 MiB", async () => {
      const { inbox } = await open();
      const payload = JSON.stringify({ body: "ü".repeat(12 * 1024 * 1024) });
      await inbox.add(buildDelivery("guid-1", { payload }));
      const [row] = await inbox.claim(buildClaim(100));
      expect(row?.payload === payload).toBe(true);
    });

    it("recognises a known id, and keeps the first delivery", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("guid-1"));
      expect(await inbox.add(buildDelivery("guid-1", { payload: "{}" }))).toBe("known");
      expect(await inbox.depth()).toBe(1);
      expect((await inbox.claim(buildClaim(100)))[0]?.payload).toBe(buildDelivery("guid-1").payload);
    });

    it("recognises a known subject with another id", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("guid-1", { subject: "issue_comment/17" }));
      expect(await inbox.add(buildDelivery("polled-1", { subject: "issue_comment/17" }))).toBe("repeated");
      expect(await inbox.add(buildDelivery("polled-2", { subject: "issue_comment/18" }))).toBe("added");
      expect(await inbox.add(buildDelivery("polled-1", { subject: null }))).toBe("added");
    });

    it("accepts a delivery once when two replicas receive it at the same time", async () => {
      const replicas = [await open(), await open()];
      const answers = await Promise.all(
        [...replicas, ...replicas].map(({ inbox }) => inbox.add(buildDelivery("guid-1"))),
      );
      expect(answers.filter((answer) => answer === "added")).toHaveLength(1);
    });

    it("hands out one delivery of a stream at a time, in order of arrival", async () => {
      const { inbox } = await open();
      for (const id of ["1", "2", "3"]) await inbox.add(buildDelivery(id));
      await inbox.add(buildDelivery("4", { stream: "other", receivedAt: 200 }));
      expect(ids(await inbox.claim(buildClaim(200)))).toEqual(["1", "4"]);
      expect(await inbox.claim(buildClaim(200))).toEqual([]);
    });

    it("still recognises the id and subject of a handled delivery", async () => {
      const { inbox } = await open();
      const delivery = buildDelivery("guid-1", { subject: "issue_comment/17" });
      await inbox.add(delivery);
      await settleNext(inbox, 100);
      expect(await inbox.depth()).toBe(0);
      expect(await inbox.nextDue()).toBeNull();
      expect(await inbox.add(delivery)).toBe("known");
      expect(await inbox.add({ ...delivery, id: "polled-1" })).toBe("repeated");
    });

    it("hands out a postponed delivery again before the rest of its stream", async () => {
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

    it("hands out a delivery again when its lease has expired", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      const [row] = await inbox.claim(buildClaim(100));
      expect(await inbox.claim(buildClaim(1_100))).toEqual([
        { ...row, claim: expect.any(String), attempts: 1 },
      ]);
    });

    it("does not hand out a delivery while its lease is renewed", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      const [row] = await inbox.claim(buildClaim(100));
      await inbox.renew(rowOf(row), 5_000);
      expect(await inbox.claim(buildClaim(4_999))).toEqual([]);
      expect(ids(await inbox.claim(buildClaim(5_000)))).toEqual(["1"]);
    });

    it("never hands out a parked delivery again, and continues with its stream", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1", { subject: "issue_comment/17" }));
      await inbox.add(buildDelivery("2"));
      const [row] = await inbox.claim(buildClaim(100));
      await inbox.park(rowOf(row), { code: "PAYLOAD_UNREADABLE", error: "cannot be read", at: 200 });
      expect(ids(await inbox.claim(buildClaim(5_000)))).toEqual(["2"]);
      expect(await inbox.depth()).toBe(1);
      expect(await inbox.add(buildDelivery("1"))).toBe("known");
      expect(await inbox.add(buildDelivery("3", { subject: "issue_comment/17" }))).toBe("repeated");
    });

    it("lists the parked deliveries of a repository, the newest first, and forgets old ones", async () => {
      const { inbox } = await open();
      const streams = ["acme/widgets#7", "acme/widgets/push", "acme/widgets2#7", "acmee/widgets#7"];
      for (const [index, stream] of streams.entries()) {
        await inbox.add(buildDelivery(`given-up-${index}`, { stream }));
        const why = { code: "CODE_HOST_ABSENT", error: "no answer", at: 500 + index } as const;
        await inbox.park(rowOf((await inbox.claim(buildClaim(100)))[0]), why);
      }
      await inbox.add(buildDelivery("waiting", { stream: "acme/widgets#8" }));
      const listed = await inbox.givenUp("acme/widgets", 10);
      expect(listed.map(({ id }) => id)).toEqual(["given-up-1", "given-up-0"]);
      expect(listed[1]).toMatchObject({
        stream: "acme/widgets#7",
        givenUpAt: 500,
        code: "CODE_HOST_ABSENT",
      });
      expect(await inbox.givenUp("acme/widgets", 1)).toHaveLength(1);
      expect([await inbox.countGivenUp("acme"), await inbox.countGivenUp("acmee")]).toEqual([3, 1]);
      const byStream = await inbox.countGivenUpByStream();
      expect(byStream.find(({ stream }) => stream === "acme/widgets#7")?.rows).toBe(1);
      expect(byStream.reduce((sum, { rows }) => sum + rows, 0)).toBe(4);
      await inbox.forget(501);
      expect(await inbox.countGivenUp("acme")).toBe(2);
    });

    it("lists the unhandled deliveries about a repository's pull requests, also the claimed ones, in order of arrival", async () => {
      const { inbox } = await open();
      const about = (stream: string, event = "issue_comment", action: string | null = "created") =>
        ({ stream, event, action }) as const;
      const deliveries = [
        about("acme/widgets#12"),
        about("acme/widgets#7", "found", null),
        about("acme/widgets/push", "issue_comment"),
        about("acme/widgets2#7"),
        about("acme/widgets#7", "issue_comment", "edited"),
        about("acme/widgets#7", "check_run"),
        about("acme/widgets#7"),
      ];
      for (const [index, delivery] of deliveries.entries())
        await inbox.add(buildDelivery(String(index), delivery));
      const listed = async () =>
        (await inbox.unhandled("acme/widgets", ["issue_comment", "found"], ["created"])).map(({ id }) => id);
      expect(await listed()).toEqual(["0", "1", "6"]);
      const claimed = await inbox.claim(buildClaim(100));
      expect(await listed()).toEqual(["0", "1", "6"]);
      const [handled, givenUp] = claimed.filter(({ stream }) => stream.startsWith("acme/widgets#"));
      await inbox.settle(rowOf(handled));
      await inbox.park(rowOf(givenUp), { code: "NOT_HANDLED", error: "a fault", at: 200 });
      expect(await inbox.unhandled("acme/widgets", ["issue_comment", "found"], ["created"])).toEqual([
        buildDelivery("6", about("acme/widgets#7")),
      ]);
    });

    it("makes the postponed deliveries of a stream due earlier", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1", { stream: "acme/widgets#7" }));
      const [row] = await inbox.claim(buildClaim(100));
      await inbox.postpone(rowOf(row), 900, "unavailable");
      await inbox.hasten("acme/widgets#8", 200);
      expect(await inbox.nextDue()).toBe(900);
      await inbox.hasten("acme/widgets#7", 200);
      expect(await inbox.nextDue()).toBe(200);
    });

    it("ignores operations on rows that are gone", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("1"));
      const row = await settleNext(inbox, 100);
      await inbox.settle(row);
      await inbox.park(row, { code: "NOT_HANDLED", error: "late", at: 200 });
      await inbox.postpone(row, 900, "late");
      expect(await inbox.depth()).toBe(0);
    });

    it("forgets only deliveries that were handled before the given time", async () => {
      const { inbox } = await open();
      await inbox.add(buildDelivery("early"));
      await settleNext(inbox, 1_000);
      await inbox.add(buildDelivery("late"));
      await settleNext(inbox, 2_000);
      await inbox.add(buildDelivery("parked"));
      await inbox.park(rowOf((await inbox.claim(buildClaim(100)))[0]), {
        code: "PAYLOAD_UNREADABLE",
        error: "cannot be read",
        at: 3_000,
      });
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
