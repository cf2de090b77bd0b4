import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../scenarios/eventually.ts";
import { Receiver } from "../service/webhooks/receiver.ts";
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

async function scrape(query = "", headers: Record<string, string> = { "x-api-token": token }) {
  const response = await fetch(`${api.url}/v1/getMergeQueueMetrics${query}`, { headers });
  expect(response.status).toBe(200);
  return parsePrometheus(await response.text());
}

/** The values of the series with these labels, and perhaps others. */
function values(all: readonly Series[], name: string, labels: Record<string, string> = {}): number[] {
  const wanted = Object.entries({ organisation: owner, ...labels });
  return all
    .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value))
    .map(({ value }) => value);
}

const reading = async (name: string, labels: Record<string, string> = {}) =>
  values(await scrape(), name, labels);

test("the duration of commands is measured by name and process, and that of reads is not", async () => {
  const pull = await queue.open();
  await queue.submit({ number: pull.number });
  await queue.call("getSubmittedPullRequest", { number: pull.number });
  const process = hostname();
  const name = "trainyard_command_duration_seconds";
  expect(await reading(`${name}_count`, { process, command: "submitPullRequest" })).toEqual([1]);
  expect(await reading(`${name}_bucket`, { command: "submitPullRequest", le: "+Inf" })).toEqual([1]);
  expect(await reading(`${name}_count`, { command: "getSubmittedPullRequest" })).toEqual([]);
  const [sum] = await reading(`${name}_sum`, { command: "submitPullRequest" });
  expect(sum).toBeGreaterThan(0);
});

test("requests to GitHub are counted by status, with GitHub's remaining quota", async () => {
  const before =
    (await reading("trainyard_github_requests_total", { status: "2xx", process: hostname() }))[0] ?? 0;
  const failures = (await reading("trainyard_github_requests_total", { status: "4xx" }))[0] ?? 0;
  expect((await queue.submit({ number: 4_711 })).status).toBe(404);
  await queue.submit({ number: (await queue.open()).number });
  expect((await reading("trainyard_github_requests_total", { status: "2xx" }))[0]).toBeGreaterThan(before);
  expect((await reading("trainyard_github_requests_total", { status: "4xx" }))[0]).toBeGreaterThan(failures);
  const [limit] = await reading("trainyard_github_quota_limit", { resource: "core" });
  const [remaining] = await reading("trainyard_github_quota_remaining", { resource: "core" });
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThan(limit ?? 0);
});

test("the outbox metrics show the number of waiting tasks and how long the oldest is overdue", async () => {
  const [depth] = await reading("trainyard_outbox_depth");
  expect(depth).toBeGreaterThan(0);
  api.elapse(120_000);
  const [age] = await reading("trainyard_outbox_oldest_seconds");
  expect(age).toBeGreaterThan(119);
  expect(await reading("trainyard_inbox_depth")).toEqual([0]);
  expect(await reading("trainyard_inbox_oldest_seconds")).toEqual([0]);
});

test("the metrics of webhooks and polling exist from the start with the value zero", async () => {
  for (const what of ["comment", "label", "checks", "base", "pull_request"])
    expect(await reading("trainyard_recovered_by_polling_total", { what })).toEqual([0]);
  for (const source of ["webhook", "poll"])
    expect(await reading("trainyard_inbox_lag_seconds_count", { source })).toEqual([0]);
  for (const what of ["upload", "history", "counts"])
    expect(await reading("trainyard_test_evidence_given_up_total", { what })).toEqual([0]);
});

test("outbound webhooks are counted by their outcome", async () => {
  const receiver = await Receiver.start();
  const { id } = (await api.post("createWebhook", { url: receiver.url })).body as { id: string };
  await queue.submit({ number: (await queue.open()).number });
  const webhook = { webhook: id };
  const [waiting] = await reading("trainyard_webhook_deliveries_waiting", webhook);
  expect(waiting).toBeGreaterThan(0);
  api.elapse(60_000);
  expect((await reading("trainyard_webhook_oldest_waiting_seconds", webhook))[0]).toBeGreaterThan(59);
  expect(await reading("trainyard_webhook_attempts_total", { ...webhook, outcome: "delivered" })).toEqual([
    0,
  ]);
  expect(await reading("trainyard_webhook_attempts_total", { ...webhook, outcome: "failed" })).toEqual([0]);
  expect(await reading("trainyard_webhook_deliveries_parked", webhook)).toEqual([0]);
  expect(await reading("trainyard_webhook_deliveries_given_up_total", webhook)).toEqual([0]);
  await receiver.close();
});

describe("the metrics of an organisation", () => {
  test("are shown to no other organisation", async () => {
    const other = { "x-api-token": await api.createToken(["admin"], { organisation: "other" }) };
    await api.post("createWebhook", { url: "https://hooks.example" }, other);
    const theirs = await scrape("", other);
    expect(new Set(theirs.map(({ labels }) => labels.organisation))).toEqual(new Set(["other"]));
    expect(values(theirs, "trainyard_outbox_depth", { organisation: "other" })).toEqual([0]);
    expect(values(theirs, "trainyard_github_requests_total", { organisation: "other" })).toEqual([]);
    const commands = theirs.filter(({ name }) => name === "trainyard_command_duration_seconds_count");
    expect(commands.map(({ labels, value }) => [labels.command, value])).toEqual([["createWebhook", 1]]);
    const ours = await scrape();
    expect(ours.filter(({ labels }) => labels.organisation === "other")).toEqual([]);
    expect(values(ours, "trainyard_webhook_deliveries_waiting")).toHaveLength(1);
  });

  test("are left out of the metrics of one repository", async () => {
    const repoHost = encodeURIComponent(api.queue.repo.host);
    const shown = await scrape(`?repo=acme/widgets&repoHost=${repoHost}`);
    expect(shown.filter(({ labels }) => "organisation" in labels)).toEqual([]);
    expect(shown.length).toBeGreaterThan(10);
  });
});

describe("an API token in the Authorization header", () => {
  test("is accepted as a bearer token, but not as basic authentication", async () => {
    expect(await scrape("", { authorization: `Bearer ${token}` })).not.toEqual([]);
    const url = `${api.url}/v1/getMergeQueueMetrics`;
    const bad = await fetch(url, { headers: { authorization: `Bearer ${randomUUID()}` } });
    expect(bad.status).toBe(401);
    const basic = await fetch(url, { headers: { authorization: `Basic ${token}` } });
    expect(basic.status).toBe(401);
  });

  test("is ignored when an x-api-token is sent, too", async () => {
    const headers = { authorization: `Bearer ${token}`, "x-api-token": "ty_wrong" };
    expect((await fetch(`${api.url}/v1/getMergeQueueMetrics`, { headers })).status).toBe(401);
  });
});

test("the tests of each repository are counted by status and quarantine, with whether the quarantine budget is spent", async () => {
  const { repo } = api.queue;
  const content =
    '<testsuite name="w"><testcase name="turns"><failure message="no"/></testcase><testcase name="turns"/><testcase name="slips"><failure message="no"/></testcase><testcase name="slips"/><testcase name="spins"/></testsuite>';
  await api.post("updateTestSettings", { repo, quarantine_max_tests: 1, quarantine_max_share: 0 });
  await api.post("uploadTestResults", {
    ...{ repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main", kind: "stable" },
    ...{ run_id: "1", job: "test", step_failed: false, reports: [{ path: "a.xml", content }] },
  });
  // The evaluation starts with the service. Nothing after this line needs it stopped.
  await api.service.start();
  const labels = { repo: `${repo.owner}/${repo.name}` };
  await eventually(
    async () => ((await reading("trainyard_quarantine_budget_spent", labels))[0] === 1 ? true : null),
    "the evaluation",
  );
  expect(await reading("trainyard_tests", { ...labels, status: "flaky" })).toEqual([2]);
  expect(await reading("trainyard_tests", { ...labels, status: "healthy" })).toEqual([1]);
  expect(await reading("trainyard_tests_quarantined", labels)).toEqual([1]);
  expect((await api.post("getTestSettings", { repo })).body.quarantine_budget_spent_at).not.toBeNull();
  await api.post("updateTestSettings", { repo, quarantine_max_tests: 2 });
  expect(await reading("trainyard_quarantine_budget_spent", labels)).toEqual([0]);
  expect(await reading("trainyard_tests_quarantined", labels)).toEqual([2]);
});
