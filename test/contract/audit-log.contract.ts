import { describe, expect, it } from "@jest/globals";
import type { AuditEntry, AuditQuery } from "../../src/store/access/audit-log.ts";
import { buildCommit, buildCreation, buildEvent } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const repo = { host: "github.com", owner: "Acme", name: "Widgets" };

function buildEntry(given: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: 1_000,
    organisation: "acme",
    action: "submitPullRequest",
    outcome: "done",
    code: null,
    actor: { kind: "token", id: "0123456789ab", name: "ci" },
    via: "api",
    repo,
    branch: "main",
    pr: 7,
    token: null,
    subject: null,
    changes: [{ field: "state", from: null, to: "pending" }],
    reason: "CI is down",
    address: "192.0.2.1",
    userAgent: "curl/8",
    requestId: "r-1",
    ...given,
  };
}

const everything: AuditQuery = {
  organisation: "acme",
  repo: null,
  action: null,
  actor: null,
  since: null,
  until: null,
  after: null,
  limit: 100,
};

export function auditLogContract(create: CreateDatabase): void {
  describe("the audit log", () => {
    const open = databaseForEachTest(create);

    it("returns appended entries newest first, and those with equal times in reverse order of arrival", async () => {
      const { audit } = await open();
      const refused = buildEntry({ at: 2_000, outcome: "refused", code: "SCOPE_MISSING", repo: null });
      const entries = [buildEntry({ at: 2_000 }), refused, buildEntry({ at: 1_000, pr: null, branch: null })];
      for (const entry of entries) await audit.append(entry);
      const listed = await audit.list(everything);
      expect(listed.map(({ id: _, ...entry }) => entry)).toEqual([entries[1], entries[0], entries[2]]);
      expect(new Set(listed.map(({ id }) => id)).size).toBe(3);
    });

    it("contains the entries of a queue's commit exactly when the events are in the queue's log", async () => {
      const { audit, queues } = await open();
      const [done, late] = [buildEntry({ pr: 1 }), buildEntry({ pr: 2 })];
      expect(await queues.commit({ ...buildCreation(), audits: [done] })).toBe("committed");
      // Another process has committed an event with this number.
      expect(await queues.commit(buildCommit({ events: [buildEvent(1)], audits: [late] }))).toBe("conflict");
      expect(await audit.list(everything)).toEqual([{ ...done, id: expect.any(Number) }]);
    });

    it("shows an organisation no entry of another organisation", async () => {
      const { audit } = await open();
      await audit.append(buildEntry());
      expect(await audit.list({ ...everything, organisation: "evil", repo })).toEqual([]);
      expect(await audit.list({ ...everything, organisation: "" })).toEqual([]);
      await audit.append(buildEntry({ organisation: "evil" }));
      // The entry's number does not reveal how many entries another organisation has, either.
      expect(await audit.list({ ...everything, organisation: "evil" })).toMatchObject([{ id: 1 }]);
    });

    it("filters by repository and actor regardless of case, by action, and by time", async () => {
      const { audit } = await open();
      await audit.append(buildEntry({ at: 1_000, pr: 1 }));
      await audit.append(buildEntry({ at: 2_000, pr: 2, action: "cancelPullRequest" }));
      await audit.append(buildEntry({ at: 3_000, pr: 3, repo: { ...repo, name: "gadgets" } }));
      await audit.append(
        buildEntry({ at: 4_000, pr: 4, actor: { kind: "user", id: "Alice", name: "Alice" } }),
      );
      const prs = async (query: Partial<AuditQuery>) =>
        (await audit.list({ ...everything, ...query })).map(({ pr }) => pr);
      expect(await prs({ repo: { host: "GitHub.com", owner: "acme", name: "widgets" } })).toEqual([4, 2, 1]);
      expect(await prs({ actor: "aLICE" })).toEqual([4]);
      expect(await prs({ action: "cancelPullRequest" })).toEqual([2]);
      expect(await prs({ since: 2_000, until: 4_000 })).toEqual([3, 2]);
      expect(await prs({ repo, action: "submitPullRequest", until: 4_000 })).toEqual([1]);
    });

    it("continues after an entry, also between entries with equal times", async () => {
      const { audit } = await open();
      for (let pr = 1; pr <= 5; pr++) await audit.append(buildEntry({ at: 1_000, pr }));
      const [, second] = await audit.list({ ...everything, limit: 2 });
      if (!second) throw new Error("two were asked for");
      const rest = await audit.list({ ...everything, after: second });
      expect(rest.map(({ pr }) => pr)).toEqual([3, 2, 1]);
    });

    it("forgets the oldest entries first, at most the requested number, and no entry that is too recent", async () => {
      const { audit } = await open();
      for (const at of [3_000, 1_000, 2_000, 4_000]) await audit.append(buildEntry({ at }));
      const times = async () => (await audit.list(everything)).map(({ at }) => at);
      expect(await audit.forget(4_000, 2)).toBe(2);
      expect(await times()).toEqual([4_000, 3_000]);
      expect(await audit.forget(4_000, 2)).toBe(1);
      expect(await audit.forget(4_000, 2)).toBe(0);
      expect(await times()).toEqual([4_000]);
    });
  });
}
