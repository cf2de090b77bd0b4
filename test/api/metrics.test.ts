import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { renderLabels, renderMetrics } from "../../src/api/metrics/text-format.ts";
import fc from "../drawn.ts";
import { type Api, owner } from "./api-harness.ts";
import { PausedQueue } from "./paused-queue.ts";
import { parsePrometheus, type Series } from "./prometheus.ts";

let queue: PausedQueue;
let api: Api;
let token: string;

beforeAll(async () => {
  queue = await PausedQueue.start();
  api = queue.api;
  token = await api.createToken(["read"]);
});
afterAll(() => api.close());

function scrape(query = "", headers: Record<string, string> = {}) {
  return fetch(`${api.url}/v1/getMergeQueueMetrics${query}`, {
    headers: { "x-api-token": token, ...headers },
  });
}

async function series(query = ""): Promise<readonly Series[]> {
  const response = await scrape(query);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return parsePrometheus(await response.text());
}

async function reading(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const wanted = Object.entries(labels);
  const found = (await series()).filter(
    (one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value),
  );
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0]?.value;
}

describe("the metrics of a queue whose pull requests are cancelled", () => {
  beforeAll(async () => {
    const [one, two, three] = [await queue.open(), await queue.open(), await queue.open({ draft: true })];
    for (const { number } of [one, two, three]) await queue.submit({ number });
    api.elapse(120_000);
    await queue.call("cancelPullRequest", { number: two.number });
  });

  test("show its current size", async () => {
    expect(await reading("mq_depth_current")).toBe(1);
    expect(await reading("mq_depth_current", { queue_type: "main" })).toBe(1);
    expect(await reading("mq_depth_current", { queue_type: "bisection" })).toBeUndefined();
    expect(await reading("mq_awaiting_mergeability")).toBe(1);
    expect(await reading("mq_testing_slots_active")).toBe(0);
  });

  test("count the events of the last hour, with zeros where there was none", async () => {
    expect(await reading("mq_pr_conclusions_1h_total", { conclusion: "cancelled" })).toBe(1);
    expect(await reading("mq_pr_conclusions_1h_total", { conclusion: "merged" })).toBe(0);
    expect(await reading("mq_pr_restarts_1h_total")).toBe(0);
    const bucket = "mq_pr_time_in_queue_1h_seconds_bucket";
    expect(await reading(bucket, { le: "60" })).toBe(0);
    expect(await reading(bucket, { le: "300" })).toBe(1);
    expect(await reading(bucket, { le: "+Inf" })).toBe(1);
    expect(await reading("mq_pr_time_in_queue_1h_seconds_count")).toBe(1);
  });

  test("include counters that never decrease", async () => {
    const cancelled = { from: "pending", to: "cancelled", reason: "CANCELLED_BY_API" };
    expect(await reading("trainyard_transitions_total", cancelled)).toBe(1);
    expect(await reading("trainyard_time_in_queue_seconds_count")).toBe(1);
    expect(await reading("trainyard_tree_mismatches_total")).toBe(0);
    expect(await reading("trainyard_wait_seconds_total", { cause: "ci" })).toBe(0);
  });

  test("split the waiting time by cause", async () => {
    expect(await reading("trainyard_wait_seconds_total", { cause: "paused" })).toBeGreaterThan(239);
    expect(await reading("trainyard_wait_seconds_total", { cause: "readiness" })).toBeGreaterThan(119);
    expect(await reading("trainyard_wait_seconds_total", { cause: "capacity" })).toBe(0);
  });

  test("drop hourly values after an hour, but keep the counters", async () => {
    api.elapse(61 * 60_000);
    expect(await reading("mq_pr_conclusions_1h_total", { conclusion: "cancelled" })).toBe(0);
    expect(await reading("mq_pr_time_in_queue_1h_seconds_count")).toBe(0);
    expect(await reading("trainyard_time_in_queue_seconds_count")).toBe(1);
    expect(await reading("trainyard_wait_seconds_total", { cause: "paused" })).toBeGreaterThan(3_600);
  });
});

test("a series has its branch as a label, whatever the branch is called", async () => {
  const branch = 'release/"1"';
  const target = { owner, repo: "widgets" };
  const main = await queue.asAlice.rest.git.getRef({ ...target, ref: "heads/main" });
  const { sha } = main.data.object;
  await queue.asAlice.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha });
  expect((await api.post("createQueue", { ...api.queue, targetBranch: branch })).status).toBe(200);
  const branches = new Set((await series()).flatMap(({ labels }) => labels.branch ?? []));
  expect(branches).toEqual(new Set(["main", branch]));
});

test("a label is unchanged after rendering and parsing, whatever it contains", () => {
  const text = fc.string({ unit: "grapheme" });
  const hostile = fc.oneof(text, fc.constantFrom('"', "\\", "\n", '\\"', '"} 1\nup{a="', "#"));
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), hostile, hostile, (repos, help, branch) => {
      const samples = [...new Set(repos)].map((repo, value) => ({ labels: { repo }, value }));
      const groups = [[renderLabels({ branch }), samples]] as const;
      const family = { name: "mq_depth_current", type: "gauge", help, groups } as const;
      const parsed = parsePrometheus([...renderMetrics([family])].join(""));
      expect(parsed.map(({ labels, value }) => ({ labels, value }))).toEqual(
        samples.map(({ labels, value }) => ({ labels: { branch, ...labels }, value })),
      );
    }),
  );
});

describe("a scrape of the queue metrics", () => {
  const count = async (query: string) =>
    (await series(query)).filter(({ labels }) => "repo" in labels).length;

  test("can be limited to a repository, regardless of case", async () => {
    const query = (repo: string) =>
      `?repo=${encodeURIComponent(repo)}&repoHost=${encodeURIComponent(api.queue.repo.host)}`;
    expect(await count(query("acme/widgets"))).toBe(await count(""));
    expect(await count(query("ACME/Widgets"))).toBe(await count(""));
  });

  test("is empty for a repository without a queue", async () => {
    await api.sandbox.createRepository({ owner, name: "gadgets", files: { "a.txt": "" }, ci: null });
    const host = encodeURIComponent(api.queue.repo.host);
    expect(await count(`?repo=acme/gadgets&repoHost=${host}`)).toBe(0);
  });

  test("responds with 404 for an unknown repository or host", async () => {
    const host = encodeURIComponent(api.queue.repo.host);
    const missing = await scrape(`?repo=acme/widgest&repoHost=${host}`);
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: "REPOSITORY_NOT_FOUND" }]);
    const unserved = await scrape("?repo=acme/widgets&repoHost=elsewhere.example");
    expect([unserved.status, await unserved.json()]).toMatchObject([404, { code: "HOST_NOT_SERVED" }]);
  });

  test("shows nothing of another organisation", async () => {
    const stranger = await api.createToken(["read"], { organisation: "other" });
    const own = await (await scrape("", { "x-api-token": stranger })).text();
    expect(new Set(parsePrometheus(own).map(({ labels }) => labels.organisation))).toEqual(
      new Set(["other"]),
    );
    expect(own).not.toContain("acme");
    const query = `?repo=acme/widgets&repoHost=${encodeURIComponent(api.queue.repo.host)}`;
    const others = await scrape(query, { "x-api-token": stranger });
    expect([others.status, await others.json()]).toMatchObject([404, { code: "REPOSITORY_NOT_FOUND" }]);
  });

  test.each([
    ["?repo=acme/widgets", 400],
    ["?repoHost=github.com", 400],
    ["?repo=acme&repoHost=github.com", 400],
    ["?repo=acme/widgets/more&repoHost=github.com", 400],
    ["?repo=acme/widgets&repo=acme/gadgets&repoHost=github.com", 400],
  ])("with the invalid query %s gets a %i response", async (query, status) => {
    expect((await scrape(query)).status).toBe(status);
  });

  test("without a token or its scope is rejected", async () => {
    expect((await scrape("", { "x-api-token": "" })).status).toBe(401);
    expect((await scrape("", { "x-api-token": await api.createToken(["submit"]) })).status).toBe(403);
    const posted = await fetch(`${api.url}/v1/getMergeQueueMetrics`, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
