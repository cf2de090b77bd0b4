import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Answer, type Api, startApi } from "./api-harness.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi({ logLevel: "silent" });
  await api.post("createQueue", api.queue);
});
afterAll(() => api.close());

const faults = ({ status, body }: Answer) => ({ status, code: body.code, errors: body.errors });
const invalid = (path: string, message: string) => ({
  status: 400,
  code: "INVALID_BODY",
  errors: [{ path, message }],
});

describe("an unknown field", () => {
  test.each<[endpoint: string, path: string, body: () => object, message: string]>([
    [
      "submitPullRequest",
      "priorty",
      () => ({ ...api.queue, pr: { number: 1 }, priorty: "high" }),
      "is unknown; did you mean priority?",
    ],
    [
      "submitPullRequest",
      "pr.head_sha",
      () => ({ ...api.queue, pr: { number: 1, head_sha: "a".repeat(40) } }),
      "is unknown; the known ones are number, sha",
    ],
    [
      "getQueue",
      "repo.ownr",
      () => ({ ...api.queue, repo: { ...api.queue.repo, ownr: "acme" } }),
      "is unknown; did you mean owner?",
    ],
    [
      "getSubmittedPullRequests",
      "prs[1].title",
      () => ({ ...api.queue, prs: [{ number: 1 }, { number: 2, title: "spin" }] }),
      "is unknown; the known ones are number",
    ],
    ["listWebhooks", "events", () => ({ events: [] }), "is unknown; remove it"],
  ])("of %s is named as %s", async (endpoint, path, body, message) => {
    expect(faults(await api.post(endpoint, body()))).toEqual(invalid(path, message));
  });

  test("is not mentioned to a sender without a token, or without the scope", async () => {
    const body = { ...api.queue, pr: { number: 1 }, priorty: "high" };
    const without = await api.post("submitPullRequest", body, { "x-api-token": "" });
    expect([without.status, without.body.code]).toEqual([401, "TOKEN_MISSING"]);
    const token = await api.createToken(["read"]);
    const reader = await api.post("submitPullRequest", body, { "x-api-token": token });
    expect([reader.status, reader.body.code]).toEqual([403, "SCOPE_MISSING"]);
  });

  test("is refused in the audit log under the repository that the body names", async () => {
    await api.post("deleteQueue", { ...api.queue, repo: { ...api.queue.repo, nam: "x" } });
    const { body } = await api.post("listAuditLog", { repo: api.queue.repo, action: "deleteQueue" });
    expect(body.entries).toMatchObject([{ outcome: "refused", code: "INVALID_BODY" }]);
  });
});

test("a client of the hosted API may ask for a timeline, which the answer does not have", async () => {
  const one = { ...api.queue, pr: { number: 1 }, includeTimeline: true };
  expect((await api.post("getSubmittedPullRequest", one)).body.code).toBe("NEVER_SUBMITTED");
  const several = { ...api.queue, prs: [{ number: 1 }], includeTimeline: false };
  expect((await api.post("getSubmittedPullRequests", several)).body).toMatchObject({ notFound: [1] });
});

describe("an unknown query parameter", () => {
  test("of an endpoint that reads its fields from the body is refused, with the advice to send them there", async () => {
    const { status, body } = await api.post("getQueue?targetBranch=main", api.queue);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        code: "BAD_REQUEST",
        detail:
          "Correct the query: targetBranch is unknown; remove it. This endpoint reads all fields from the JSON body.",
        errors: [{ path: "targetBranch", message: "is unknown; remove it" }],
      },
    });
  });

  test("changes nothing", async () => {
    const { status } = await api.post("updateQueue?dryRun=true", { ...api.queue, concurrency: 7 });
    expect(status).toBe(400);
    expect((await api.post("getQueue", api.queue)).body.concurrency).toBe(5);
  });

  test("of the metrics is refused with the nearest name", async () => {
    const scrape = async (query: string, token: string) => {
      const headers = { "x-api-token": token };
      const response = await fetch(`${api.url}/v1/getMergeQueueMetrics?${query}`, { headers });
      return { status: response.status, text: await response.text() };
    };
    const token = await api.createToken(["read"]);
    const { status, text } = await scrape("repo=acme/widgets&repohost=github.com", token);
    expect({ status, body: JSON.parse(text) }).toMatchObject({
      status: 400,
      body: { errors: [{ path: "repohost", message: "is unknown; did you mean repoHost?" }] },
    });
    expect((await scrape("repohost=github.com", "")).status).toBe(401);
    expect((await scrape("repo=acme/widgets&repoHost=github.com", token)).status).toBe(200);
  });
});
