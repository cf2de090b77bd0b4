import { readFileSync, statSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { apiDescription, checkResponse } from "../../tools/sandbox/schema/api-description.ts";
import { operationIds } from "../../tools/sandbox/schema/operations.ts";
import { checkPayload, webhookNames } from "../../tools/sandbox/schema/webhook-names.ts";

const vendored = ["api.subset.json", "webhooks.subset.json"].map(
  (name) => new URL(`../../tools/sandbox/schema/generated/${name}`, import.meta.url),
);

test("every vendored schema compiles and rejects invalid data", () => {
  for (const operationId of operationIds) {
    for (const status of apiDescription().operations[operationId].responses) {
      if (status > 0) checkResponse(operationId, status, null);
    }
    expect(checkResponse(operationId, 418, {})).toBe("status 418 is not documented");
  }
  for (const name of webhookNames) expect(checkPayload(name, {})).not.toBeNull();
});

test("the vendored descriptions are small and name their sources", () => {
  for (const file of vendored) {
    expect(statSync(file).size).toBeLessThan(260_000);
    const { $comment } = JSON.parse(readFileSync(file, "utf8"));
    expect($comment.source).toMatch(/^@octokit\/openapi.*@\d+\.\d+\.\d+$/);
    expect($comment.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect($comment.licence).toMatch(/MIT/);
  }
});

test("a null that GitHub's description allows is accepted", () => {
  const nulls = { conclusion: null, started_at: null };
  const problem = checkResponse("checks/get", 200, nulls) ?? "";
  expect(problem).toMatch(/must have required property 'name'/);
  expect(problem).not.toMatch(/conclusion|started_at/);
});
