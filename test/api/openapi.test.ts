import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type EndpointName, endpoints, pathOf } from "../../src/api/endpoints.ts";
import { examples } from "../../src/api/openapi/examples.ts";
import { problemKinds } from "../../src/api/problems/problem.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;
let text: string;

beforeAll(async () => {
  api = await startApi();
  const response = await fetch(`${api.url}/openapi.json`);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  text = await response.text();
});
afterAll(() => api.close());

interface Operation {
  operationId: string;
  requestBody: { content: Record<string, { schema: { properties: object; required: string[] } }> };
}

test("the API's description passes a linter", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  expect(problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([]);
});

test("the API's description contains every endpoint with its parameters", () => {
  const { paths } = JSON.parse(text) as { paths: Record<string, { post?: Operation }> };
  const names = Object.keys(endpoints) as EndpointName[];
  expect(Object.keys(paths)).toEqual([...names.map(pathOf), "/v1/getMergeQueueMetrics"]);
  for (const [path, { post }] of Object.entries(paths)) {
    // Endpoints about the whole organisation name no queue, and endpoints about tests name no branch.
    if (!post || /Webhook|AuditLog|listQueues|\/flaky-tests\/|\/metrics\//.test(path)) continue;
    const { schema } = post.requestBody.content["application/json"] ?? {};
    expect(schema?.required).toEqual(expect.arrayContaining(["repo", "targetBranch"]));
  }
  const update = paths["/v1/updateQueue"]?.post?.requestBody.content["application/json"]?.schema.properties;
  expect(update).toMatchObject({
    concurrency: { type: "integer", minimum: 1, maximum: 4_294_967_295 },
    mode: { enum: ["single", "parallel"] },
    requiredStatuses: { type: "array", items: { type: "string" } },
    state: { enum: ["running", "paused", "draining"] },
  });
});

test("the API's description contains every error code", () => {
  for (const code of Object.keys(problemKinds)) {
    // These codes occur before a request is assigned to an operation.
    if (!["METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "HEADERS_TOO_LARGE"].includes(code))
      expect(text).toContain(`"/problems/${code}"`);
  }
});

describe.each(Object.keys(examples) as EndpointName[])("the example of %s", (name) => {
  test("is a valid request", () => {
    expect(endpoints[name].body.safeParse(examples[name].body)).toMatchObject({ success: true });
  });

  test("is a valid response", () => {
    expect(endpoints[name].answer.safeParse(examples[name].answer)).toMatchObject({ success: true });
  });
});
