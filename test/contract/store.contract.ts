import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { auditLogContract } from "./audit-log.contract.ts";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { bundleStoreContract } from "./bundle-store.contract.ts";
import { callLimitStoreContract } from "./call-limit-store.contract.ts";
import { commandLogContract } from "./command-log.contract.ts";
import { cursorStoreContract } from "./cursor-store.contract.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";
import { entrySearchContract } from "./entry-search.contract.ts";
import { eventArchiveContract } from "./event-archive.contract.ts";
import { fencingContract } from "./fencing.contract.ts";
import { headLogContract } from "./head-log.contract.ts";
import { healthStoreContract } from "./health-store.contract.ts";
import { historyStoreContract } from "./history-store.contract.ts";
import { idempotencyStoreContract } from "./idempotency-store.contract.ts";
import { inboxContract } from "./inbox.contract.ts";
import { lateResultStoreContract } from "./late-result-store.contract.ts";
import { meterStoreContract } from "./meter-store.contract.ts";
import { outboxContract } from "./outbox.contract.ts";
import { outboxCoalescingContract } from "./outbox-coalescing.contract.ts";
import { outboxHasteningContract } from "./outbox-hastening.contract.ts";
import { outboxOrderContract } from "./outbox-order.contract.ts";
import { pastStatesContract } from "./past-states.contract.ts";
import { publicationStoreContract } from "./publication-store.contract.ts";
import { quarantineStoreContract } from "./quarantine-store.contract.ts";
import { queueDirectoryContract } from "./queue-directory.contract.ts";
import { queueEntriesContract } from "./queue-entries.contract.ts";
import { queueLogContract } from "./queue-log.contract.ts";
import { queueRelocationContract } from "./queue-relocation.contract.ts";
import { replicaStoreContract } from "./replica-store.contract.ts";
import { requestCountStoreContract } from "./request-count-store.contract.ts";
import { sessionStoreContract } from "./session-store.contract.ts";
import { signingKeysContract } from "./signing-keys.contract.ts";
import { tallyStoreContract } from "./tally-store.contract.ts";
import { targetStoreContract } from "./target-store.contract.ts";
import { testCountsContract } from "./test-counts.contract.ts";
import { testEvaluationStoreContract } from "./test-evaluation-store.contract.ts";
import { testIssueStoreContract } from "./test-issue-store.contract.ts";
import { testOwnerStoreContract } from "./test-owner-store.contract.ts";
import { testReadsContract } from "./test-reads.contract.ts";
import { testResultStoreContract } from "./test-result-store.contract.ts";
import { testSettingsStoreContract } from "./test-settings-store.contract.ts";
import { tokenStoreContract } from "./token-store.contract.ts";
import { webhookStoreContract } from "./webhook-store.contract.ts";

/** The tests that every database must pass. */
export function storeContract(create: CreateDatabase): void {
  wholeStoreContract(create);
  queueLogContract(create);
  eventArchiveContract(create);
  queueDirectoryContract(create);
  queueEntriesContract(create);
  entrySearchContract(create);
  queueRelocationContract(create);
  outboxContract(create);
  outboxCoalescingContract(create);
  outboxOrderContract(create);
  outboxHasteningContract(create);
  fencingContract(create);
  inboxContract(create);
  tokenStoreContract(create);
  sessionStoreContract(create);
  publicationStoreContract(create);
  targetStoreContract(create);
  headLogContract(create);
  commandLogContract(create);
  historyStoreContract(create);
  cursorStoreContract(create);
  callLimitStoreContract(create);
  idempotencyStoreContract(create);
  tallyStoreContract(create);
  healthStoreContract(create);
  pastStatesContract(create);
  auditLogContract(create);
  meterStoreContract(create);
  signingKeysContract(create);
  testReadsContract(create);
  webhookStoreContract(create);
  testResultStoreContract(create);
  lateResultStoreContract(create);
  testEvaluationStoreContract(create);
  quarantineStoreContract(create);
  testOwnerStoreContract(create);
  bundleStoreContract(create);
  testSettingsStoreContract(create);
  testCountsContract(create);
  testIssueStoreContract(create);
  replicaStoreContract(create);
  requestCountStoreContract(create);
}

function wholeStoreContract(create: CreateDatabase): void {
  describe("a store", () => {
    const open = databaseForEachTest(create);

    it("is ready while it is open, and not after it was closed", async () => {
      const store = await open();
      expect(await store.ready()).toBeNull();
      await store.close();
      expect(await store.ready()).toMatchObject({ code: "DATABASE_NOT_ANSWERING" });
    });

    it("finishes pending writes before it closes, and accepts no more", async () => {
      const store = await open();
      const commits = [store.queues.commit(buildCreation()), store.cursors.put("name", "value")];
      await store.close();
      await Promise.all(commits);
      await expect(store.cursors.put("name", "other")).rejects.toThrow(/closed/);
      expect(await (await open()).cursors.get("name")).toBe("value");
    });

    it("can be closed twice", async () => {
      const store = await open();
      await store.close();
      await store.close();
    });

    it("keeps its data when it is opened again", async () => {
      const before = await open();
      await before.queues.commit(buildCreation());
      await before.close();
      const after = await open();
      expect((await after.queues.load("queue-1")).events).toEqual(buildEvents(1, 1));
    });

    it("never shows a reader a partial commit", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const commits = Array.from({ length: 30 }, (_, index) =>
        queues.commit(buildCommit({ events: buildEvents(2 + index * 10, 11 + index * 10) })),
      );
      const lengths: number[] = [];
      while (lengths.at(-1) !== 301) {
        // A loop that only reads would never let the commits run.
        await setImmediate();
        lengths.push((await queues.load("queue-1")).events.length);
      }
      await Promise.all(commits);
      expect(lengths.filter((length) => length % 10 !== 1)).toEqual([]);
    });
  });
}
