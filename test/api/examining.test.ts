import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { RuleOptions, RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;
const repository = "acme/widgets";

beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

const codesOf = (body: Record<string, unknown>) =>
  (body.findings as { code: string; severity: string }[]).map(({ code }) => code);
const requiring = (...contexts: string[]) =>
  ({
    type: "required_status_checks",
    required_status_checks: contexts.map((context) => ({ context })),
  }) as const;

test("examineQueue returns the findings about a repository, the most severe first", async () => {
  api.sandbox.setRulesets(repository, [{ name: "closed", rules: ["update", requiring("build")] }]);
  const { status, body } = await api.post("examineQueue", api.queue);
  expect(status).toBe(200);
  expect(body.findings).toContainEqual({
    code: "UPDATES_RESTRICTED",
    severity: "error",
    title: expect.any(String),
    cause: expect.any(String),
    evidence: 'update in "closed" (the App may not bypass it)',
    fix: { text: expect.stringMatching(/^Add the App/), url: expect.stringMatching(/\/rules\/\d+$/) },
  });
  const ranks = (body.findings as { severity: string }[]).map(({ severity }) => severity);
  expect(ranks).toEqual([...ranks].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
});
const order = ["error", "warning", "note"];

test("examineQueue requires the scope queue:admin, and the repository's own organisation", async () => {
  const reader = await api.createToken(["read", "submit"]);
  expect(await api.post("examineQueue", api.queue, { "x-api-token": reader })).toMatchObject({
    status: 403,
    body: { code: "SCOPE_MISSING" },
  });
  const other = await api.createToken(["queue:admin"], { organisation: "other" });
  expect(await api.post("examineQueue", api.queue, { "x-api-token": other })).toMatchObject({
    status: 404,
    body: { code: "QUEUE_NOT_FOUND" },
  });
});

test("examineQueue applies the settings of the queue", async () => {
  const rulesets: RulesetOptions[] = [{ rules: ["required_linear_history", requiring("build")] }];
  api.sandbox.setRulesets(repository, rulesets);
  await api.post("createQueue", api.queue);
  const before = await api.post("examineQueue", api.queue);
  expect(codesOf(before.body)).not.toContain("LINEAR_HISTORY_REQUIRED");
  api.sandbox.setRulesets(repository, []);
  await api.post("updateQueue", { ...api.queue, mergeMethod: "merge_commit" });
  api.sandbox.setRulesets(repository, rulesets);
  const changed = await api.post("updateQueue", { ...api.queue, submitByAutoMerge: false });
  expect(codesOf(changed.body)).toContain("LINEAR_HISTORY_REQUIRED");
  const after = await api.post("examineQueue", api.queue);
  expect(codesOf(after.body)).toContain("LINEAR_HISTORY_REQUIRED");
});

test("createQueue creates a queue and returns its findings without notes", async () => {
  api.sandbox.setProtection(repository, "main", { requiredChecks: ["DCO"] });
  const deployed: RuleOptions = {
    type: "required_deployments",
    required_deployment_environments: ["staging"],
  };
  api.sandbox.setRulesets(repository, [{ rules: [deployed] }]);
  const { status, body } = await api.post("createQueue", api.queue);
  expect(status).toBe(200);
  expect(body.unexamined).toEqual([]);
  expect(codesOf(body).toSorted()).toEqual([
    "CI_NOT_LISTENING",
    "DEPLOYMENTS_REQUIRED",
    "REQUIRED_CHECK_NOT_ON_PUSH",
  ]);
});

test.each([
  ["rebase", { rules: ["required_signatures"] }, /SIGNATURES_REQUIRED.*squash or merge_commit/],
  [
    "merge_commit",
    { rules: [{ type: "commit_message_pattern", operator: "starts_with", pattern: "feat" }] },
    /COMMIT_MESSAGES_RESTRICTED.*Merge pull request/,
  ],
  ["squash", { include: ["~ALL"], rules: ["required_linear_history"] }, /OWN_BRANCHES_RESTRICTED.*exclude/i],
] as const)(
  "createQueue and updateQueue reject a queue with %s whose rules refuse everything: %j",
  async (mergeMethod, rules, text) => {
    api.sandbox.setRulesets(repository, [rules as unknown as RulesetOptions]);
    const { status, body } = await api.post("createQueue", { ...api.queue, mergeMethod });
    expect([status, body.code]).toEqual([409, "QUEUE_CANNOT_WORK"]);
    expect(body.detail).toMatch(text);
    api.sandbox.setRulesets(repository, []);
    await api.post("createQueue", { ...api.queue, mergeMethod });
    api.sandbox.setRulesets(repository, [rules as unknown as RulesetOptions]);
    const changed = await api.post("updateQueue", { ...api.queue, mergeMethod });
    expect(codesOf(changed.body)).toContain(text.source.split(".")[0]);
    const others = ["merge_commit", "squash", "rebase"].filter((method) => method !== mergeMethod);
    api.sandbox.setRulesets(repository, []);
    await api.post("updateQueue", { ...api.queue, mergeMethod: others[0] });
    api.sandbox.setRulesets(repository, [rules as unknown as RulesetOptions]);
    const refused = await api.post("updateQueue", { ...api.queue, mergeMethod });
    expect([refused.status, refused.body.code]).toEqual([409, "QUEUE_CANNOT_WORK"]);
    expect(refused.body.detail).toMatch(text);
    expect((await api.post("getQueue", api.queue)).body.mergeMethod).toBe(others[0]);
  },
);

test("createQueue rejects a queue whose pull requests GitHub would never let merge", async () => {
  api.sandbox.setRulesets(repository, [{ name: "native", rules: [{ type: "merge_queue" }] }]);
  const { status, body } = await api.post("createQueue", api.queue);
  expect(status).toBe(409);
  expect(body.code).toBe("QUEUE_CANNOT_WORK");
  expect(body.detail).toMatch(
    /MERGE_QUEUE_RULE.*merge_queue in "native".*Remove the rule Require merge queue/,
  );
  expect((await api.post("getQueue", api.queue)).body.code).toBe("QUEUE_NOT_FOUND");
  const { app } = api.sandbox;
  const bypass = [{ actor: app.slug, mode: "exempt" }] as const;
  api.sandbox.setRulesets(repository, [{ rules: [{ type: "merge_queue" }], bypass: [...bypass] }]);
  expect((await api.post("createQueue", api.queue)).status).toBe(200);
});

test("updateQueue makes no request to GitHub when no rule can conflict with the change", async () => {
  await api.post("createQueue", api.queue);
  // Only these requests count, because the service also looks for a freeze in the repository file meanwhile.
  const asked = () =>
    api.sandbox.requests.entries.filter(({ operationId }) => /rules|protection/.test(operationId ?? ""))
      .length;
  const calls = asked();
  expect(calls).toBeGreaterThan(0);
  expect((await api.post("updateQueue", { ...api.queue, state: "paused" })).body.findings).toEqual([]);
  expect(asked()).toBe(calls);
});
