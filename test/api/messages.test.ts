import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const pr = { number: 1 };

test.each<[endpoint: string, changes: object, message: string]>([
  ["updateQueue", { concurrency: 1.5 }, "must be a whole number"],
  ["updateQueue", { concurrency: 1e300 }, "must be at most 4294967295"],
  ["updateQueue", { concurrency: "4" }, "must be a number, not a string"],
  ["submitPullRequest", { pr, priority: [] }, "must be urgent, high, medium, low or 0…4294967295"],
  ["submitPullRequest", { pr, priority: 1.5 }, "must be urgent, high, medium, low or 0…4294967295"],
  ["submitPullRequest", { pr, actor: { login: "" } }, "must not be empty"],
])("%s with %p gets the message: %s", async (endpoint, changes, message) => {
  const { status, body } = await api.post(endpoint, { ...api.queue, ...changes });
  expect({ status, errors: body.errors }).toEqual({
    status: 400,
    errors: [{ path: expect.any(String), message }],
  });
});

test("a misspelt field gets a suggestion that ends with a single question mark", async () => {
  const { body } = await api.post("updateQueue", { ...api.queue, concurency: 4 });
  expect(body.detail).toBe("Correct the request: concurency is unknown; did you mean concurrency?");
});

test.each<[body: string, detail: string]>([
  [
    '{"repo": {"host" "github.com"}}',
    "The body is not valid JSON, from line 1, column 18. Send a JSON object.",
  ],
  ['{\n  "repo": {},\n}', "The body is not valid JSON, from line 3, column 1. Send a JSON object."],
  ['{"repo": {', "The body is not valid JSON: it ends too early. Send a JSON object."],
])("invalid JSON gets the position of its error: %s", async (text, detail) => {
  const { status, body } = await api.post("getQueue", text);
  expect({ status, detail: body.detail }).toEqual({ status: 400, detail });
});
