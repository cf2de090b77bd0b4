import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Api, startApi } from "../../api/api-harness.ts";

let api: Api;
let turns: string;
beforeAll(async () => {
  api = await startApi();
  turns = String((await upload()).failed[0]?.id);
});
afterAll(() => api.close());

let runs = 0;
async function upload(repo: object = api.queue.repo) {
  runs += 1;
  const content =
    '<testsuite name="w"><testcase name="turns"><failure message="no"/></testcase><testcase name="spins"/></testsuite>';
  const { body } = await api.post("uploadTestResults", {
    ...{ repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main", kind: "stable" },
    ...{ run_id: String(runs), job: "test", step_failed: true, reports: [{ path: "a.xml", content }] },
  });
  return body as { verdict: string; failed: { id: string }[]; quarantined: Record<string, unknown>[] };
}

const set = async (setting: string, more: object = {}) =>
  api.post("setQuarantine", {
    ...{ repo: api.queue.repo, test_case_id: turns, quarantine_setting: setting },
    ...more,
  });

describe("a test that is set to be quarantined", () => {
  test("is quarantined with an owner and a reason until the expiry", async () => {
    const owner = { reason: "waits for a clock", owner: "@alice" };
    const { body } = await set("ALWAYS_QUARANTINE", owner);
    expect(body).toMatchObject({ quarantined: true, quarantine_setting: "ALWAYS_QUARANTINE", ...owner });
    const days = (Date.parse(String(body.expires_at)) - Date.parse(String(body.quarantined_at))) / 86_400_000;
    expect(days).toBe(30);
    const answer = await upload();
    expect(answer.verdict).toBe("quarantined");
    expect(answer.quarantined).toEqual([
      expect.objectContaining({ quarantine_owner: "@alice", quarantine_reason: "waits for a clock" }),
    ]);
    const soon = new Date(Date.now() - 1_000).toISOString();
    expect((await set("ALWAYS_QUARANTINE", { expires_at: soon })).body).toMatchObject({ quarantined: false });
    expect((await upload()).verdict).toBe("failed");
  });

  test("counts as failed again when it is set to never, or to automatic without any evidence of flakiness", async () => {
    for (const setting of ["NEVER_QUARANTINE", "AUTO_QUARANTINE"]) {
      await set("ALWAYS_QUARANTINE");
      expect((await upload()).verdict).toBe("quarantined");
      expect((await set(setting)).body).toMatchObject({ quarantine_setting: setting, quarantined: false });
      expect((await upload()).verdict).toBe("failed");
    }
  });

  test("has an entry in the audit log, with the reason and what was changed", async () => {
    await set("NEVER_QUARANTINE");
    await set("ALWAYS_QUARANTINE", { reason: "waits for a clock", expires_at: "2999-01-01T00:00:00Z" });
    const { body } = await api.post("listAuditLog", { action: "setQuarantine", take: 1 });
    expect(body.entries).toMatchObject([
      {
        outcome: "done",
        repo: api.queue.repo,
        subject: { kind: "test", id: turns, name: "turns" },
        reason: "waits for a clock",
        changes: expect.arrayContaining([
          { field: "quarantine_setting", from: "NEVER_QUARANTINE", to: "ALWAYS_QUARANTINE" },
          { field: "expires_at", from: null, to: "2999-01-01T00:00:00.000Z" },
        ]),
      },
    ]);
    const { body: exported } = await api.post("exportQuarantines", { repo: api.queue.repo });
    await set("NEVER_QUARANTINE");
    await api.post("importQuarantines", { repo: api.queue.repo, quarantines: exported.quarantines });
    expect((await api.post("listAuditLog", { take: 1 })).body.entries).toMatchObject([
      {
        action: "importQuarantines",
        changes: [
          {
            field: `turns (${turns})`,
            from: "NEVER_QUARANTINE",
            to: "ALWAYS_QUARANTINE until 2999-01-01T00:00:00.000Z",
          },
        ],
      },
    ]);
  });

  test("must exist", async () => {
    const { status, body } = await set("ALWAYS_QUARANTINE", {
      test_case_id: "aad1f138-09ab-5ea9-9c21-af48a03d6edd",
    });
    expect({ status, code: body.code }).toEqual({ status: 404, code: "TEST_NOT_FOUND" });
  });
});

test("a ticket can be linked to a test and removed again", async () => {
  const link = async (external_ticket_id: string) =>
    (
      await api.post("linkTicketToTestCase", {
        repo: api.queue.repo,
        test_case_id: turns,
        external_ticket_id,
      })
    ).body;
  expect(await link("https://tickets.example/W-12")).toMatchObject({
    ticket_url: "https://tickets.example/W-12",
  });
  expect(await link("")).toMatchObject({ ticket_url: null });
});

describe("a large import", () => {
  const until = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const idAt = (index: number) => `00000000-0000-5000-8000-${String(index).padStart(12, "0")}`;
  const rows = (count: number, name = "test") =>
    Array.from({ length: count }, (_, index) => ({
      ...{ test_case_id: idAt(index), name: `${name} ${index}`, parent: null, file: null, classname: null },
      ...{ variant: "", quarantine_setting: "ALWAYS_QUARANTINE", quarantined: true, expires_at: until },
      ...{ owner: null, reason: "waits", ticket_url: `https://tickets.example/${index}` },
    }));

  async function importAndExport(quarantines: readonly object[]): Promise<Record<string, unknown>[]> {
    const other = await startApi();
    try {
      const { repo } = other.queue;
      const imported = await other.post("importQuarantines", { repo, quarantines });
      expect(imported.body).toEqual({ imported: quarantines.length });
      const { headers, body } = await other.post("exportQuarantines", { repo });
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      return body.quarantines as Record<string, unknown>[];
    } finally {
      await other.close();
    }
  }

  test("is exported as it was sent, from a list that the server exports in chunks", async () => {
    const sent = rows(1_234);
    const exported = await importAndExport(sent);
    expect(exported.map((one) => ({ ...one, quarantined_at: undefined }))).toEqual(sent);
  });

  test("is exported completely when long names need several transactions", async () => {
    const sent = rows(300, "long ".repeat(3_900));
    const exported = await importAndExport(sent);
    expect(exported.map(({ name, ticket_url }) => [name, ticket_url])).toEqual(
      sent.map(({ name, ticket_url }) => [name, ticket_url]),
    );
  });
});

test("exported quarantines can be imported into another service, also for tests that never ran there", async () => {
  const expires = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await set("ALWAYS_QUARANTINE", { reason: "waits", owner: "@bob", expires_at: expires });
  await api.post("linkTicketToTestCase", {
    ...{ repo: api.queue.repo, test_case_id: turns, external_ticket_id: "https://tickets.example/W-12" },
  });
  const { body: exported } = await api.post("exportQuarantines", { repo: api.queue.repo });
  expect(exported.quarantines).toEqual([expect.objectContaining({ test_case_id: turns, owner: "@bob" })]);

  const other = await startApi();
  try {
    const repo = other.queue.repo;
    const { quarantines } = exported;
    const imported = await other.post("importQuarantines", { repo, quarantines });
    expect(imported.body).toEqual({ imported: 1 });
    await other.post("importQuarantines", { repo, quarantines });
    const again = (await other.post("exportQuarantines", { repo })).body.quarantines as object[];
    const withoutBeginning = (one: object) => ({ ...one, quarantined_at: null });
    expect(again.map(withoutBeginning)).toEqual((quarantines as object[]).map(withoutBeginning));
  } finally {
    await other.close();
  }
});
