import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { endpoints } from "../../src/api/endpoints.ts";
import fc from "../drawn.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const fieldNames = [...new Set(Object.values(endpoints).flatMap(({ body }) => Object.keys(body.shape)))];

/** Values that are right, nearly right, and anything else. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(
    0,
    1,
    4_294_967_295,
    4_294_967_296,
    -1,
    1.5,
    "1",
    "ALL",
    "",
    "\0",
    true,
    null,
    [],
    {},
  ),
  fc.constantFrom(
    "single",
    "parallel",
    "running",
    "paused",
    "draining",
    "switching_modes",
    "urgent",
    "rebase",
  ),
  fc.record({ number: fc.jsonValue(), sha: fc.jsonValue(), branch: fc.jsonValue() }, { requiredKeys: [] }),
  fc.constantFrom({ number: 1 }, { number: "1", sha: "a".repeat(40) }, { branch: "main" }),
);

const anyBody = fc.oneof(
  fc.json(),
  fc.string(),
  fc.dictionary(fc.oneof(fc.constantFrom(...fieldNames, "__proto__", "constructor"), fc.string()), value),
);

test.each(Object.keys(endpoints))("%s answers any body with something but 5xx", async (name) => {
  await fc.assert(
    fc.asyncProperty(anyBody, fc.boolean(), async (body, addressed) => {
      const sent = typeof body === "string" ? body : { ...body, ...(addressed ? api.queue : {}) };
      const { status, body: answer } = await api.post(name, sent);
      if (status !== 200) expect(answer).toMatchObject({ status, code: expect.any(String) });
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 50 },
  );
});
