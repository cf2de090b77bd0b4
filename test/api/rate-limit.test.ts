import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Api, botToken, startApi } from "./api-harness.ts";

const perSecond = 2;
const many = 30;
let api: Api;

beforeAll(async () => {
  api = await startApi({ requestsPerSecond: perSecond });
  api.stopClock();
});
/** A test does not affect the next one's limit. */
beforeEach(() => api.elapse(1_000));
afterAll(() => api.close());

const ask = (token: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => api.post("getQueue", api.queue, { "x-api-token": token })));

test("an organisation that exceeds its rate limit gets 429 with all of its tokens, and is served again later", async () => {
  const tokens = [await api.createToken(["read"]), await api.createToken(["read"])];
  const byToken = await Promise.all(tokens.map((token) => ask(token, many)));
  const served = byToken.flat().filter(({ status }) => status !== 429);
  expect(served).toHaveLength(perSecond);
  for (const answers of byToken) {
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({
      code: "RATE_LIMITED",
      detail: expect.stringMatching(/more than 2 requests a second\. .*retry-after/),
    });
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(refused?.headers.get("content-type")).toContain("application/problem+json");
  }
  api.elapse(1_000);
  const [answer] = await ask(tokens[0] ?? "", 1);
  expect(answer?.status).toBe(404);
  expect(answer?.headers.get("ratelimit-limit")).toBe(String(perSecond));
  expect(answer?.headers.get("ratelimit-remaining")).toBe(String(perSecond - 1));
});

test("the rate limit of an organisation affects neither other organisations nor the bot", async () => {
  const stranger = await api.createToken(["read"], { organisation: "other" });
  const [own, others, bots] = await Promise.all([
    ask(await api.createToken(["read"]), many),
    ask(stranger, 1),
    ask(botToken, many),
  ]);
  expect(own.map(({ status }) => status)).toContain(429);
  expect(others[0]?.status).toBe(404);
  expect(bots.every(({ status }) => status === 404)).toBe(true);
});

test("the metrics have a limit of their own, and the refusal names it", async () => {
  const token = await api.createToken(["read"]);
  const answers = await Promise.all(
    Array.from({ length: many }, () =>
      fetch(`${api.url}/v1/getMergeQueueMetrics`, { headers: { "x-api-token": token } }),
    ),
  );
  const refused = answers.find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({
    detail: expect.stringMatching(/more than 5 requests a second to .*getMergeQueueMetrics\./),
  });
});

test("requests without a valid token are rejected without being limited", async () => {
  const answers = await ask("ty_000000000000_nonsense", many);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
});
