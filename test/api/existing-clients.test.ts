import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(() => api.post("deleteQueue", api.queue));

/**
 * The attributes that a Terraform provider sends after it created a queue: every attribute that the
 * configuration sets.
 */
const attributes = {
  mode: "parallel",
  concurrency: 4,
  state: "running",
  testingTimeoutMinutes: 60,
  pendingFailureDepth: 0,
  canOptimisticallyMerge: false,
  batch: true,
  batchingMaxWaitTimeMinutes: 5,
  batchingMinSize: 4,
  createPrsForTestingBranches: false,
  mergeMethod: "squash",
  commentsEnabled: true,
  commandsEnabled: true,
  statusCheckEnabled: true,
  directMergeMode: "off",
  optimizationMode: "off",
  bisectionConcurrency: 4,
  extensionEnabled: false,
  enqueueingLabel: "merge-queue-submit",
  labelCommandsEnabled: false,
  stateLabelsEnabled: true,
  notReadyTimeoutHours: 48,
};

test("a Terraform provider reads back every attribute that it sent", async () => {
  const created = await api.post("createQueue", { ...api.queue, mode: "parallel", concurrency: 4 });
  expect(created.status).toBe(200);
  const sent = { ...attributes, deleteRequiredStatuses: true };
  const updated = await api.post("updateQueue", { ...api.queue, ...sent });
  const expected = { ...attributes, requiredStatuses: [] };
  expect(updated).toMatchObject({ status: 200, body: expected });
  expect((await api.post("getQueue", api.queue)).body).toMatchObject(expected);
});

test("a Terraform provider that empties the required statuses reads back an empty list", async () => {
  await api.post("createQueue", api.queue);
  await api.post("updateQueue", { ...api.queue, requiredStatuses: ["build"] });
  const updated = await api.post("updateQueue", { ...api.queue, requiredStatuses: [] });
  expect(updated.body).toMatchObject({ requiredStatuses: [] });
  expect((await api.post("getQueue", api.queue)).body).toMatchObject({ requiredStatuses: [] });
});

test("a client that always sends github.com reaches the one host that is served", async () => {
  const repo = { ...api.queue.repo, host: "GitHub.com" };
  const there = { ...api.queue, repo };
  expect((await api.post("createQueue", { ...there, concurrency: 3 })).status).toBe(200);
  expect((await api.post("getQueue", api.queue)).body.concurrency).toBe(3);
  expect((await api.post("getQueue", there)).body.concurrency).toBe(3);
  const { body } = await api.post("listAuditLog", { repo, take: 1 });
  expect(body.entries).toMatchObject([{ action: "createQueue", repo: { host: api.queue.repo.host } }]);
  const tests = { repo, org_url_slug: "acme", page_query: { page_size: 1 } };
  expect((await api.post("listQuarantinedTests", tests)).status).toBe(200);
  const token = await api.createToken(["read"]);
  const query = "?repo=acme/widgets&repoHost=github.com";
  const scraped = await fetch(`${api.url}/v1/getMergeQueueMetrics${query}`, {
    headers: { "x-api-token": token },
  });
  expect(await scraped.text()).toContain('mq_depth_current{repo="acme/widgets"');
  const elsewhere = { ...api.queue, repo: { ...repo, host: "gitlab.com" } };
  expect((await api.post("getQueue", elsewhere)).body.code).toBe("HOST_NOT_SERVED");
});

test("a client with a strict schema finds every field of a queue", async () => {
  await api.post("createQueue", api.queue);
  expect((await api.post("getQueue", api.queue)).body).toMatchObject({
    extensionEnabled: false,
    allowedBotSubmitters: [],
    batchingRules: [],
    testBranchConstructionMode: "push_new_branch_from_temp",
    enqueueingLabel: "trainyard:merge",
    labelCommandsEnabled: true,
    stateLabelsEnabled: false,
    notReadyTimeoutHours: 24,
  });
});
