import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { AuditTrail } from "../../src/service/access/audit-trail.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

let file: SqliteFile;
let store: Store;
beforeEach(async () => {
  file = await createSqliteFile();
  store = await file.open();
});
afterEach(async () => {
  await store.close();
  await file.remove();
});

const act = {
  organisation: "Acme",
  action: "submitPullRequest",
  outcome: "done",
  code: null,
  actor: { kind: "token", id: "0123456789ab", name: "ci" },
  via: "api",
  repo: null,
  branch: null,
  pr: null,
  token: null,
  subject: null,
  changes: null,
  reason: null,
  address: null,
  userAgent: null,
  requestId: null,
} as const;
const query = {
  organisation: "acme",
  ...{ repo: null, action: null, actor: null, since: null, until: null, after: null },
  limit: 5_000,
};
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

test("an audit log entry cannot be changed, not even with direct access to the database", async () => {
  const trail = trailOf(() => 1_000);
  await trail.record(act);
  const database = new DatabaseSync(file.path);
  expect(() => database.exec("update audit_log set content = '{}'")).toThrow("the audit log is append-only");
  database.close();
});

test("any number of expired audit log entries are forgotten at the service's start, and no others", async () => {
  let now = 0;
  const trail = trailOf(() => now);
  await Promise.all(Array.from({ length: 1_200 }, () => trail.record(act)));
  now = 9_000;
  await trail.record({ ...act, pr: 7 });
  now = 11_000;
  trail.start();
  await trail.stop();
  expect((await trail.list(query)).records).toMatchObject([{ pr: 7, organisation: "acme" }]);
});

test("an audit log entry of an earlier version lists no changes and no reason", async () => {
  const { organisation: _, action: __, subject, changes, reason, ...content } = act;
  const database = new DatabaseSync(file.path);
  database
    .prepare("insert into audit_log values ('acme', 1, 5, 'updateQueue', 'ci', null, ?)")
    .run(JSON.stringify(content));
  database.close();
  expect(await store.audit.list(query)).toMatchObject([{ action: "updateQueue", subject, changes, reason }]);
});

test("long text from clients is truncated in the audit log", async () => {
  const trail = trailOf(() => 1_000);
  const long = "x".repeat(10_000);
  await trail.record({ ...act, userAgent: long, actor: { kind: "workflow", id: long, name: long } });
  const { records } = await trail.list(query);
  expect(JSON.stringify(records).length).toBeLessThan(1_500);
});

test("every audit log query, and the search for expired entries, uses an index range", async () => {
  const database = new DatabaseSync(file.path);
  const plan = (where: string, order = "at desc, id desc") =>
    database
      .prepare(`explain query plan select id from audit_log where ${where} order by ${order} limit 10`)
      .all()
      .map(({ detail }) => String(detail))
      .join();
  const mine = "organisation = 'acme'";
  for (const narrower of ["", " and action = 'a'", " and actor_key = 'a'", " and repo_key = 'a'"]) {
    const found = plan(`${mine}${narrower} and at < 5`);
    expect(found).toContain("USING");
    expect(found).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  expect(plan("at < 5", "at")).toMatch(/^SEARCH audit_log USING (COVERING )?INDEX audit_log_by_age/);
  database.close();
});

test("equal refusals within a minute become two entries, the second with their number", async () => {
  const trail = trailOf(() => 1_000);
  const refusal = { ...act, outcome: "refused", code: "SCOPE_MISSING", via: "dashboard" } as const;
  for (let pr = 1; pr <= 50; pr++) await trail.record({ ...refusal, pr });
  await trail.record({ ...refusal, actor: { kind: "user", id: "mallory", name: "mallory" } });
  await trail.record(act);
  expect((await trail.list(query)).records).toHaveLength(3);
  await trail.stop();
  const { records } = await trail.list(query);
  expect(records.map(({ actor, pr, times }) => [actor.id, pr, times])).toEqual([
    ["0123456789ab", 50, 49],
    ["0123456789ab", null, undefined],
    ["mallory", null, undefined],
    ["0123456789ab", 1, undefined],
  ]);
});

function trailOf(now: () => number): AuditTrail {
  return new AuditTrail(store.audit, { now }, silent, 10_000);
}
