import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { botToken } from "./api-harness.ts";
import { PausedQueue } from "./paused-queue.ts";

interface Entry {
  readonly id: number;
  readonly action: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly at: string;
  readonly changes: { readonly field: string; readonly from: unknown; readonly to: unknown }[] | null;
  readonly reason: string | null;
}

let queue: PausedQueue;
beforeAll(async () => {
  queue = await PausedQueue.start();
});
afterAll(() => queue.api.close());

const list = async (query: object = {}, token?: string) => {
  const headers: Record<string, string> = token === undefined ? {} : { "x-api-token": token };
  const { status, body } = await queue.api.post("listAuditLog", query, headers);
  expect(status).toBe(200);
  return body as { entries: Entry[]; nextCursor: string | null };
};
const last = async (query: object = {}) => (await list({ ...query, take: 1 })).entries[0];
const changed = (field: string, from: unknown, to: unknown) => ({ field, from, to });

describe("the audit log", () => {
  test("records every command with its actor, origin, subject and outcome", async () => {
    const token = await queue.api.createToken(["submit"]);
    const headers = { "x-api-token": token, "user-agent": "my-script/1" };
    const { number, sha } = await queue.open();
    const answers = [
      await queue.submit({ number }, {}, headers),
      await queue.call("restartTestsOnPullRequest", { number }, {}, headers),
      await queue.call("setImpactedTargets", { number, sha }, { impactedTargets: "ALL" }, headers),
      await queue.call("cancelPullRequest", { number }, {}, headers),
    ];
    const { entries } = await list({ actor: token.split("_")[1] });
    const common = {
      actor: { kind: "token", id: token.split("_")[1], name: "ci" },
      via: "api",
      repo: queue.api.queue.repo,
      targetBranch: "main",
      prNumber: number,
      tokenId: null,
      address: "127.0.0.1",
      userAgent: "my-script/1",
    };
    const done = { ...common, outcome: "done", code: null };
    expect(entries.toReversed()).toMatchObject([
      { ...done, action: "submitPullRequest" },
      { ...common, action: "restartTestsOnPullRequest", outcome: "refused", code: "NOT_TESTING" },
      { ...done, action: "setImpactedTargets" },
      { ...done, action: "cancelPullRequest" },
    ]);
    expect(entries.map((entry) => (entry as unknown as { requestId: string }).requestId)).toEqual(
      answers.map(({ headers: answered }) => answered.get("x-request-id")).toReversed(),
    );
    expect(JSON.stringify(entries)).not.toContain(token.slice(-43));
  });

  test("records changes of queues, also rejected ones", async () => {
    const other = { ...queue.api.queue, targetBranch: "main" };
    const since = new Date(Date.now() - 60_000).toISOString();
    await queue.api.post("createQueue", other);
    await queue.api.post("updateQueue", { ...other, concurrency: 3 });
    await queue.api.post("updateQueue", { ...other, concurrency: "many" });
    await queue.api.post("deleteQueue", { ...other, targetBranch: "nowhere" });
    const { entries } = await list({ since, take: 4 });
    expect(entries.map(({ action, code }) => [action, code])).toEqual([
      ["deleteQueue", null],
      ["updateQueue", "INVALID_BODY"],
      ["updateQueue", null],
      ["createQueue", "QUEUE_EXISTS"],
    ]);
  });

  test("lists which settings and which state of a queue were changed, from what to what, and why", async () => {
    const { api } = queue;
    const other = { ...api.queue, targetBranch: "release" };
    const repository = { owner: "acme", repo: "widgets" };
    const { data: main } = await queue.asAlice.rest.git.getRef({ ...repository, ref: "heads/main" });
    await queue.asAlice.rest.git.createRef({
      ...repository,
      ref: "refs/heads/release",
      sha: main.object.sha,
    });
    await api.post("createQueue", { ...other, state: "paused", concurrency: 4 });
    expect((await last())?.changes).toEqual(
      expect.arrayContaining([changed("state", null, "paused"), changed("concurrency", null, 4)]),
    );
    const update = { ...other, concurrency: 8, state: "draining", requiredStatuses: ["ci", "lint"] };
    await api.post("updateQueue", { ...update, reason: "  Release 4.2 \n" });
    expect(await last()).toMatchObject({
      action: "updateQueue",
      reason: "Release 4.2",
      changes: [
        changed("state", "paused", "draining"),
        changed("stateExplanation", null, "Release 4.2"),
        changed("concurrency", 4, 8),
        changed("requiredStatuses", null, ["ci", "lint"]),
      ],
    });
    await api.post("updateQueue", update);
    expect(await last()).toMatchObject({ outcome: "done", changes: [], reason: null });
    await api.post("updateQueue", { ...other, concurrency: 0, reason: "a try" });
    expect(await last()).toMatchObject({ outcome: "refused", changes: null, reason: "a try" });
    await api.post("deleteQueue", other);
    expect((await last())?.changes).toContainEqual(changed("concurrency", 8, null));
    await api.post("deleteQueue", other);
    expect((await last())?.changes).toEqual([]);
  });

  test("lists what a command changed in a pull request, and why", async () => {
    const { number, sha } = await queue.open();
    await queue.submit({ number });
    expect((await last())?.changes).toEqual([
      changed("state", null, "pending"),
      changed("prSha", null, sha),
      changed("priority", null, "medium"),
    ]);
    const actor = { login: "alice", permission: "write", reason: "hotfix" };
    await queue.submit({ number }, { actor, priority: "urgent" }, { "x-api-token": botToken });
    expect(await last()).toMatchObject({
      changes: [changed("priority", "medium", "urgent")],
      reason: "hotfix",
    });
    await queue.call("cancelPullRequest", { number });
    expect((await last())?.changes).toEqual([changed("state", "pending", "cancelled")]);
    await queue.call("cancelPullRequest", { number });
    expect((await last())?.changes).toEqual([]);
  });

  test("lists changed settings of tests, and of webhooks without their secrets", async () => {
    const { api } = queue;
    const { repo } = api.queue;
    await api.post("flaky-tests/update-test-settings", { repo, quarantine_days: 7, issue_labels: ["flaky"] });
    expect(await last()).toMatchObject({
      action: "updateTestSettings",
      changes: [changed("quarantine_days", 30, 7), changed("issue_labels", [], ["flaky"])],
    });
    const secretPath = "T024/B024/abcdefghijklmnopqrstuvwX3f9";
    const url = `https://hooks.example.org/services/${secretPath}`;
    const created = await api.post("createWebhook", { url, format: "slack" });
    const { id } = created.body as { id: string };
    const shown = "https://hooks.example.org/…X3f9";
    expect(await last()).toMatchObject({
      subject: { kind: "webhook", id, name: shown },
      changes: expect.arrayContaining([changed("url", null, shown), changed("secret", null, "(hidden)")]),
    });
    await api.post("updateWebhook", { id, enabled: false, rotateSecret: true });
    expect((await last())?.changes).toEqual([
      changed("enabled", true, false),
      changed("secret", "(hidden)", "(hidden)"),
    ]);
    await api.post("deleteWebhook", { id });
    expect((await last())?.changes).toContainEqual(changed("url", shown, null));
    const all = JSON.stringify(await list({ take: 100 }));
    expect(all).not.toMatch(/whsec_|B024|v1\./);
  });

  test("cuts what would make an entry large", async () => {
    const requiredStatuses = Array.from({ length: 1_000 }, (_, index) => `${index} ${"x".repeat(1_000)}`);
    await queue.api.post("updateQueue", { ...queue.api.queue, requiredStatuses });
    const entry = await last();
    expect(JSON.stringify(entry).length).toBeLessThan(10_000);
    expect(JSON.stringify(entry)).toContain("… and 980 more");
    await queue.api.post("updateQueue", { ...queue.api.queue, deleteRequiredStatuses: true });
  });

  test("names the person for whom the bot acts, and how the command arrived", async () => {
    const { number, sha } = await queue.open();
    const actor = { login: "Alice", permission: "write" };
    await queue.submit({ number, sha }, { actor, via: "comment" }, { "x-api-token": botToken });
    expect(await last({ actor: "alice" })).toMatchObject({
      action: "submitPullRequest",
      outcome: "done",
      actor: { kind: "user", id: "Alice", name: "Alice" },
      via: "comment",
      address: null,
      userAgent: null,
    });
    // For any other caller, the token determines the actor.
    await queue.submit({ number }, { actor: { login: "mallory" }, via: "comment" });
    expect((await list({ actor: "mallory" })).entries).toEqual([]);
    expect(await last()).toMatchObject({ actor: { kind: "token" }, via: "api" });
  });

  test("records authorisation failures, also of reads, with a reason that the response omits", async () => {
    const { api } = queue;
    const idOf = (token: string) => token.split("_")[1];
    const refusals: [token: string, code: string, endpoint: string][] = [
      [await api.createToken(["read"], { ttlMs: 0 }), "TOKEN_EXPIRED", "getQueue"],
      [await api.createToken(["read"]), "TOKEN_REVOKED", "submitPullRequest"],
      [await api.createToken(["submit"]), "SCOPE_MISSING", "listAuditLog"],
    ];
    await api.service.tokens.revoke(idOf(refusals[1]?.[0] ?? "") ?? "");
    for (const [token, code, action] of refusals) {
      await api.post(action, { ...api.queue, pr: { number: 1 } }, { "x-api-token": token });
      expect((await list({ actor: idOf(token) })).entries).toMatchObject([
        { action, outcome: "refused", code, address: "127.0.0.1" },
      ]);
    }
    const scrape = await api.createToken(["submit"]);
    await fetch(`${api.url}/v1/getMergeQueueMetrics`, { headers: { "x-api-token": scrape } });
    expect((await list({ actor: idOf(scrape) })).entries).toMatchObject([
      { action: "getMergeQueueMetrics", code: "SCOPE_MISSING" },
    ]);
  });

  test("records an attempt to reach another organisation in the caller's log, not in the other organisation's", async () => {
    const { api } = queue;
    const evil = await api.createToken(["admin"], { organisation: "evil" });
    await api.post("getQueue", api.queue, { "x-api-token": evil });
    const theirs = await list({}, evil);
    expect(theirs.entries).toMatchObject([{ action: "getQueue", code: "QUEUE_NOT_FOUND", id: 1 }]);
    expect((await list({ actor: evil.split("_")[1] })).entries).toEqual([]);
    const { status, body } = await api.post(
      "listAuditLog",
      { repo: api.queue.repo, action: "submitPullRequest" },
      { "x-api-token": evil },
    );
    expect([status, body.code]).toEqual([404, "REPOSITORY_NOT_FOUND"]);
  });

  test("has no entry for requests without a known token", async () => {
    const before = (await last())?.id;
    const { api } = queue;
    for (const token of ["", "hunter2", `ty_${"0".repeat(12)}_${"A".repeat(43)}`])
      await api.post("submitPullRequest", { ...api.queue, pr: { number: 1 } }, { "x-api-token": token });
    expect((await last())?.id).toBe(before);
  });

  test("records a command that is repeated with its idempotency key only once", async () => {
    const { number } = await queue.open();
    const headers = { "idempotency-key": "9d3c" };
    const first = (await last())?.id ?? 0;
    for (let times = 0; times < 3; times++) await queue.submit({ number }, {}, headers);
    expect((await last())?.id).toBe(first + 1);
  });

  test("can be read page by page, and filtered by repository, action, actor and time", async () => {
    const everything = (await list({ take: 100 })).entries;
    const paged: Entry[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list({ take: 3, ...(cursor ? { cursor } : {}) });
      paged.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(everything);
    expect(paged.length).toBeGreaterThan(10);
    const submits = (await list({ action: "submitPullRequest", take: 100 })).entries;
    expect(submits).toEqual(everything.filter(({ action }) => action === "submitPullRequest"));
    const { repo } = queue.api.queue;
    expect((await list({ repo: { ...repo, owner: "ACME" } })).entries.length).toBeGreaterThan(0);
    expect((await list({ repo, action: "deleteWebhook" })).entries).toEqual([]);
    const misspelt = await queue.api.post("listAuditLog", { repo: { ...repo, name: "other" } });
    expect([misspelt.status, misspelt.body.code]).toEqual([404, "REPOSITORY_NOT_FOUND"]);
    const [newest, oldest] = [everything.at(0), everything.at(-1)];
    expect((await list({ since: newest?.at, take: 100 })).entries).toEqual(
      everything.filter(({ at }) => at === newest?.at),
    );
    expect((await list({ until: oldest?.at })).entries).toEqual([]);
  });

  test.each([
    [{ take: 101 }, "take"],
    [{ cursor: "made up" }, "cursor"],
    [{ since: "yesterday" }, "since"],
    [{ repo: { host: "github.com" } }, "repo.owner"],
  ])("rejects the query %j", async (query, path) => {
    const { status, body } = await queue.api.post("listAuditLog", query);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "INVALID_BODY" });
    expect(body.errors).toContainEqual(expect.objectContaining({ path }));
  });
});
