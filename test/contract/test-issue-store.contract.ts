import { describe, expect, it } from "@jest/globals";
import { newHistory } from "../../src/flaky/detection/history.ts";
import type { StatusReason, TestStatus } from "../../src/flaky/detection/status.ts";
import type { DueIssue } from "../../src/flaky/store/quarantines/test-issue-store.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { buildEvaluated, buildNamedTest, buildTestUpload, testRepo } from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const hour = 3_600_000;
const reason: StatusReason = { code: "RECOVERED", runs: 1 };
const refusal = { code: "PERMISSION_MISSING", message: "no", at: 5 } as const;

export function testIssueStoreContract(create: CreateDatabase): void {
  describe("the issue store", () => {
    const open = databaseForEachTest(create);
    let store: Store;
    let id: number;

    async function openWith(...names: string[]): Promise<Store["testIssues"]> {
      store = await open();
      id = (await store.testResults.addRepository(testRepo)).id;
      await store.testResults.know(id, names.map(buildNamedTest), 0);
      return store.testIssues;
    }

    /** Gives a test a status from a time on. */
    async function becomes(name: string, status: TestStatus, at: number): Promise<void> {
      await store.testResults.record(id, buildTestUpload({ at }));
      const uploads = await store.testEvaluations.unevaluated(10);
      const test = await store.quarantines.find(id, `id-of-${name}`);
      const changes = [{ status, at, reason }] as const;
      const tests = buildEvaluated([[test?.sk ?? 0, { ...newHistory(0), changes }]]);
      expect(await store.testEvaluations.settle({ uploads, tests, at })).toBe(true);
    }

    const claim = (now: number, limit = 100) =>
      store.testIssues.claim({ owner: "w", now, leaseMs: 1_000, limit });
    const claimOne = async (now: number) => {
      const [due] = await claim(now);
      if (!due) throw new Error("nothing was claimed");
      return due;
    };
    const ids = (due: readonly DueIssue[]) => due.map(({ testId }) => testId);
    const opened = { number: 7, url: "https://github.com/acme/widgets/issues/7", isOpen: true };

    it("returns the repositories that want issues", async () => {
      const issues = await openWith();
      expect(await issues.repositories()).toEqual([]);
      await store.testSettings.change(id, { issues: true });
      expect(await issues.repositories()).toEqual([id]);
    });

    it("plans issues of unhealthy tests once each, the oldest first, with a limit per hour", async () => {
      const issues = await openWith("a", "b", "c", "d");
      await becomes("a", "FLAKY", 30);
      await becomes("b", "BROKEN", 20);
      await becomes("c", "FLAKY", 10);
      await issues.plan(id, 100, 2);
      await issues.plan(id, 101, 2);
      expect(await issues.nextDue()).toBe(100);
      const due = await claim(102);
      expect(new Set(ids(due))).toEqual(new Set(["id-of-c", "id-of-b"]));
      expect(due[0]).toMatchObject({ number: null, isOpen: false, triedAt: null, attempts: 0 });
      expect(await claim(103)).toEqual([]);
      await issues.plan(id, 100 + hour, 2);
      expect(ids(await claim(100 + hour, 1)).concat(ids(await claim(100 + hour)))).toContain("id-of-a");
    });

    it("hands out an issue again after its worker was lost, with the time since when it may exist", async () => {
      const issues = await openWith("a");
      await becomes("a", "FLAKY", 10);
      await issues.plan(id, 100, 9);
      const due = await claimOne(100);
      await issues.renew(due, 2_000);
      expect(await claim(1_500)).toEqual([]);
      expect(await claim(2_000)).toEqual([{ ...due, claim: expect.any(String), triedAt: 100, attempts: 1 }]);
    });

    it("has nothing to do for an up-to-date issue, and links it as the ticket of its test", async () => {
      const issues = await openWith("a", "b");
      await store.quarantines.linkTicket(id, "id-of-b", "https://tickets.example/1");
      await becomes("a", "FLAKY", 10);
      await becomes("b", "FLAKY", 11);
      await issues.plan(id, 100, 9);
      for (const due of await claim(100))
        await issues.record(due, { ...opened, toldStatusAt: due.testId === "id-of-a" ? 10 : 11 });
      await issues.plan(id, 200, 9);
      expect(await issues.nextDue()).toBeNull();
      expect((await store.quarantines.find(id, "id-of-a"))?.ticketUrl).toBe(opened.url);
      expect((await store.quarantines.find(id, "id-of-b"))?.ticketUrl).toBe("https://tickets.example/1");
    });

    it("plans an issue after a status change despite the limit, but reopening counts against the limit", async () => {
      const issues = await openWith("a");
      await becomes("a", "FLAKY", 10);
      await issues.plan(id, 100, 1);
      for (const due of await claim(100)) await issues.record(due, { ...opened, toldStatusAt: 10 });
      await becomes("a", "HEALTHY", 20);
      await issues.plan(id, 200, 1);
      const due = await claimOne(200);
      expect(due).toMatchObject({ number: 7, isOpen: true, triedAt: null, attempts: 0 });
      await issues.record(due, { ...opened, isOpen: false, toldStatusAt: 20 });
      await issues.plan(id, 300, 1);
      expect(await issues.nextDue()).toBeNull();
      await becomes("a", "FLAKY", 30);
      await issues.plan(id, 400, 1);
      expect(await issues.nextDue()).toBeNull();
      await issues.plan(id, 100 + hour, 1);
      expect(await claim(100 + hour)).toEqual([expect.objectContaining({ number: 7, isOpen: false })]);
    });

    it("plans an issue that may exist although its test has recovered, and can drop it", async () => {
      const issues = await openWith("a");
      await becomes("a", "FLAKY", 10);
      await issues.plan(id, 100, 9);
      await issues.halt(await claimOne(100), null);
      await becomes("a", "HEALTHY", 20);
      await issues.plan(id, 200, 9);
      const due = await claimOne(200);
      expect(due).toMatchObject({ number: null, triedAt: 100 });
      await issues.drop(due);
      await issues.plan(id, 300, 9);
      expect(await issues.nextDue()).toBeNull();
    });

    it("keeps the repository's refusal until an issue was opened or settings changed, without using up the limit", async () => {
      const issues = await openWith("a");
      await store.testSettings.change(id, { issues: true });
      await becomes("a", "FLAKY", 10);
      await issues.plan(id, 100, 1);
      await issues.halt(await claimOne(100), refusal);
      expect(await issues.nextDue()).toBeNull();
      expect((await store.testSettings.rules(id)).issuesRefused).toEqual(refusal);
      await issues.plan(id, 200, 1);
      for (const due of await claim(200)) await issues.record(due, { ...opened, toldStatusAt: 10 });
      expect((await store.testSettings.rules(id)).issuesRefused).toBeNull();
      await becomes("a", "BROKEN", 20);
      await issues.plan(id, 300, 1);
      await issues.halt(await claimOne(300), refusal);
      expect((await store.testSettings.rules(id)).issuesRefused).toEqual(refusal);
      expect((await store.testSettings.change(id, {})).issuesRefused).toBeNull();
    });

    it("hands out a postponed issue at its time, and an abandoned one at the next status", async () => {
      const issues = await openWith("a");
      await becomes("a", "FLAKY", 10);
      await issues.plan(id, 100, 9);
      const due = await claimOne(100);
      await issues.postpone(due, 500, "overload");
      expect(await issues.nextDue()).toBe(500);
      const again = await claimOne(500);
      expect(again.attempts).toBe(1);
      await issues.giveUp(again, 10, "wrong");
      await issues.plan(id, 600, 9);
      expect(await issues.nextDue()).toBeNull();
      await becomes("a", "BROKEN", 20);
      await issues.plan(id, 700, 9);
      expect(ids(await claim(700))).toEqual(["id-of-a"]);
    });

    it("plans to close the issue of a deleted test, and a linked issue does not keep its test", async () => {
      const issues = await openWith("a");
      await becomes("a", "FLAKY", 10);
      await issues.plan(id, 100, 9);
      for (const due of await claim(100)) await issues.record(due, { ...opened, toldStatusAt: 10 });
      while ((await store.testEvaluations.forget(400 * 24 * hour, 100)) > 0);
      expect(await store.quarantines.find(id, "id-of-a")).toBeNull();
      await issues.plan(id, 200, 9);
      expect(await claim(200)).toEqual([expect.objectContaining({ testId: "id-of-a", number: 7 })]);
    });
  });
}
