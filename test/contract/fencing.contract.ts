import { describe, expect, it } from "@jest/globals";
import { newHistory } from "../../src/flaky/detection/history.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { buildDelivery } from "./build-delivery.ts";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { buildClaim, buildTask } from "./build-task.ts";
import { buildEvaluated, buildNamedTest, testRepo } from "./build-test-upload.ts";
import { buildEndpoint, buildMessage } from "./build-webhook.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

/**
 * A worker is delayed beyond its lease, another one claims its row with the same owner name, and the first
 * one continues.
 */
export function fencingContract(create: CreateDatabase): void {
  describe("a worker whose row was claimed by another", () => {
    const open = databaseForEachTest(create);

    it("cannot settle, postpone or renew a task", async () => {
      const { outbox } = await open();
      await outbox.add(buildTask(1));
      await outbox.add(buildTask(2));
      const late = one(await outbox.claim(buildClaim(0)));
      const held = one(await outbox.claim(buildClaim(1_000)));
      await outbox.renew(late, 90_000);
      await outbox.postpone(late, 5, "late");
      await outbox.settle(late);
      expect(await outbox.depth()).toBe(2);
      expect(await outbox.nextDue()).toBe(2_000);
      await outbox.settle(held);
      expect(await outbox.depth()).toBe(1);
    });

    it("cannot commit its results, even together with those of a row that it still holds", async () => {
      const { queues, outbox } = await open();
      await queues.commit({ ...buildCreation(), tasks: [buildTask(1), buildTask(2, { stream: "other" })] });
      const late = one(await outbox.claim(buildClaim(0, { limit: 1 })));
      const mine = one(await outbox.claim(buildClaim(500, { limit: 1 })));
      const held = one(await outbox.claim(buildClaim(1_000, { limit: 1 })));
      expect(held.id).toBe(late.id);
      const commit = { events: buildEvents(2, 3), tasks: [buildTask(3)] };
      expect(await queues.commit(buildCommit({ ...commit, settles: [mine, late] }))).toEqual({
        lost: [late],
      });
      expect((await queues.load("queue-1")).events).toHaveLength(1);
      expect(await outbox.depth()).toBe(2);
      expect(await queues.commit(buildCommit({ ...commit, settles: [mine, held] }))).toBe("committed");
      expect(await outbox.depth()).toBe(1);
    });

    it("cannot commit its results when the other worker has already settled the row", async () => {
      const { queues, outbox } = await open();
      await queues.commit({ ...buildCreation(), tasks: [buildTask(1)] });
      const late = one(await outbox.claim(buildClaim(0)));
      await outbox.settle(one(await outbox.claim(buildClaim(1_000))));
      const commit = buildCommit({ events: buildEvents(2, 2), settles: [late] });
      expect(await queues.commit(commit)).toEqual({ lost: [late] });
      expect((await queues.load("queue-1")).events).toHaveLength(1);
    });

    it("cannot settle, park, postpone or renew a delivery, nor count it", async () => {
      const { inbox, meters } = await open();
      await inbox.add(buildDelivery("guid-1"));
      const late = one(await inbox.claim(buildClaim(100)));
      const held = one(await inbox.claim(buildClaim(1_100)));
      await inbox.renew(late, 90_000);
      await inbox.postpone(late, 5, "late");
      await inbox.park(late, { code: "NOT_HANDLED", error: "late", at: 1_100 });
      await inbox.settle(late, [{ organisation: "octo-org", series: "handled", by: 1 }]);
      expect(await inbox.depth()).toBe(1);
      expect(await inbox.nextDue()).toBe(2_100);
      expect(await meters.read("octo-org")).toEqual(new Map());
      await inbox.settle(held);
      expect(await inbox.depth()).toBe(0);
    });

    it("cannot conclude or renew a message to a webhook endpoint", async () => {
      const { webhookEndpoints, webhookDeliveries } = await open();
      await webhookEndpoints.add(buildEndpoint("a"), 9);
      await webhookDeliveries.announce({ organisation: "octo-org", messages: () => [buildMessage("m1")] });
      const claim = (now: number) =>
        webhookDeliveries.claim({ owner: "worker-1", now, leaseMs: 1_000 }, () => 9);
      const late = one(await claim(1_000));
      const held = one(await claim(2_000));
      await webhookDeliveries.renew(late, 90_000);
      await webhookDeliveries.conclude(late, { at: 2_000, status: 500, error: "500" }, null);
      expect(await webhookDeliveries.nextDue()).toEqual(new Map([["a", 3_000]]));
      const [waiting] = await webhookDeliveries.list("a", { state: null, before: null, limit: 9 });
      expect(waiting).toMatchObject({ state: "waiting", attempts: 0, lastError: null });
      await webhookDeliveries.conclude(held, { at: 2_100, status: 200, error: null }, null);
      const [delivered] = await webhookDeliveries.list("a", { state: null, before: null, limit: 9 });
      expect(delivered?.state).toBe("delivered");
    });

    it("cannot change an issue, even if both claims have the same number of attempts", async () => {
      const store = await open();
      const repositoryId = await withFlakyTest(store);
      const { testIssues } = store;
      await testIssues.plan(repositoryId, 100, 9);
      const late = one(await testIssues.claim(buildClaim(100)));
      const opened = { number: 7, url: "https://github.com/acme/widgets/issues/7", isOpen: true };
      await testIssues.record(one(await testIssues.claim(buildClaim(1_100))), { ...opened, toldStatusAt: 9 });
      await testIssues.plan(repositoryId, 1_200, 9);
      const held = one(await testIssues.claim(buildClaim(1_200)));
      const refusal = { code: "PERMISSION_MISSING", message: "late", at: 5 } as const;
      await testIssues.renew(late, 90_000);
      await testIssues.record(late, { ...opened, number: 8, toldStatusAt: 9 });
      await testIssues.postpone(late, 5, "late");
      await testIssues.giveUp(late, 10, "late");
      await testIssues.halt(late, refusal);
      await testIssues.drop(late);
      expect(await testIssues.nextDue()).toBe(2_200);
      expect((await store.testSettings.rules(repositoryId)).issuesRefused).toBeNull();
      const again = one(await testIssues.claim(buildClaim(2_200)));
      expect(again).toEqual({ ...held, claim: expect.any(String), triedAt: 1_200, attempts: 1 });
      expect(again.number).toBe(7);
    });
  });
}

function one<Row>([row, ...others]: readonly Row[]): Row {
  if (row === undefined || others.length > 0) throw new Error(`expected one row, not ${others.length}`);
  return row;
}

async function withFlakyTest({ testResults, quarantines, testEvaluations }: Store): Promise<number> {
  const { id } = await testResults.addRepository(testRepo);
  await testResults.know(id, [buildNamedTest("a")], 0);
  const test = await quarantines.find(id, "id-of-a");
  const changes = [{ status: "FLAKY", at: 10, reason: { code: "RECOVERED", runs: 1 } }] as const;
  const tests = buildEvaluated([[test?.sk ?? 0, { ...newHistory(0), changes }]]);
  expect(await testEvaluations.settle({ uploads: [], tests, at: 10 })).toBe(true);
  return id;
}
