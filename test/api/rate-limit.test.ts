import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Api, botToken, startApi } from "./api-harness.ts";

const perSecond = 20;
let api: Api;

beforeAll(async () => {
  api = await startApi({ requestsPerSecond: perSecond });
});
afterAll(() => api.close());

const ask = (token: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => api.post("getQueue", api.queue, { "x-api-token": token })));

/** Waits for a whole window, so that a test does not affect the next one's limit. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 1_100));

test("an organisation that exceeds its rate limit gets 429 with all of its tokens, and is served again later", async () => {
  const [one, other] = [await api.createToken(["read"]), await api.createToken(["read"])];
  const answers = [...(await ask(one, perSecond)), ...(await ask(other, 5))];
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(5);
  expect(refused[0]?.body).toMatchObject({
    code: "RATE_LIMITED",
    detail: expect.stringContaining("retry-after"),
  });
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  expect(refused[0]?.headers.get("content-type")).toContain("application/problem+json");
  await rest();
  const [answer] = await ask(one, 1);
  expect(answer?.status).toBe(404);
  expect(answer?.headers.get("ratelimit-limit")).toBe(String(perSecond));
  expect(answer?.headers.get("ratelimit-remaining")).toBe(String(perSecond - 1));
  await rest();
});

test("the rate limit of an organisation affects neither other organisations nor the bot", async () => {
  const stranger = await api.createToken(["read"], { organisation: "other" });
  await ask(await api.createToken(["read"]), perSecond + 1);
  expect((await ask(stranger, 1))[0]?.status).toBe(404);
  const bots = await ask(botToken, 2 * perSecond);
  expect(bots.every(({ status }) => status === 404)).toBe(true);
  await rest();
});

test("requests without a valid token are rejected without being limited", async () => {
  const answers = await ask("ty_000000000000_nonsense", 2 * perSecond);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
});
