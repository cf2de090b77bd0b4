import { afterEach, describe, expect, test } from "@jest/globals";
import type { RuleOptions, RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

afterEach(async () => {
  await stage.close();
});

const name = "acme/widgets";
const at = { owner: "acme", repo: "widgets" };

const checks = (...contexts: (string | { context: string; integration_id: number })[]): RuleOptions => ({
  type: "required_status_checks",
  required_status_checks: contexts.map((one) => (typeof one === "string" ? { context: one } : one)),
});

/** Opens a stage with a queue whose rules come only from rulesets. */
async function open(
  rulesets: (slug: string, ciAppId: number) => RulesetOptions[],
  { queue, ...options }: StageOptions = {},
): Promise<void> {
  stage = await Stage.open({
    requiredChecks: null,
    rulesets: ({ app, ciAppId }) => rulesets(app.slug, ciAppId),
    queue: { mergeMethod: "squash", ...queue },
    ...options,
  });
}

const exempt = (slug: string, ...rules: RuleOptions[]): RulesetOptions => ({
  rules,
  bypass: [{ actor: slug, mode: "exempt" }],
});

const submit = (pr: number) => stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });

/** The commit on the only test branch. */
const testedSha = () =>
  eventually(async () => {
    const ref = "heads/trainyard-merge/";
    const { data } = await stage.octokit("alice").rest.git.listMatchingRefs({ ...at, ref });
    return data[0]?.object.sha ?? null;
  }, "a test branch");

/** Expects that the pull request is still in testing after CI has reported everything. */
async function stillWaits(pr: number): Promise<void> {
  // The service may not know yet that its branch exists.
  await stage.until(pr, "testing");
  await stage.untilHandled();
  expect((await stage.look(pr))?.state).toBe("testing");
}

describe("a required check", () => {
  test.each([34, 134])("in rule number %i is found", async (count) => {
    const filler: RuleOptions[] = Array.from({ length: count - 1 }, () => "deletion");
    await open((slug) => [exempt(slug, ...filler, checks("build", "late"))]);
    const pr = await stage.openPullRequest("one");
    await submit(pr);
    const sha = await testedSha();
    await stillWaits(pr);
    await stage.sandbox.reportStatus(name, { sha, context: "late", state: "success" });
    await stage.until(pr, "merged");
  });

  test("behind 120 other statuses is found", async () => {
    await open((slug) => [exempt(slug, checks("build", "zz"))]);
    const pr = await stage.openPullRequest("one");
    await submit(pr);
    const sha = await testedSha();
    for (let index = 0; index < 120; index++) {
      const context = `other ${String(index).padStart(3, "0")}`;
      await stage.sandbox.reportStatus(name, { sha, context, state: "failure" });
    }
    await stillWaits(pr);
    await stage.sandbox.reportStatus(name, { sha, context: "zz", state: "success" });
    await stage.until(pr, "merged");
  });

  test("that is bound to an App is satisfied only by a status of that App", async () => {
    await open((slug, ciAppId) => [
      exempt(slug, checks("build", { context: "legal", integration_id: ciAppId })),
    ]);
    const pr = await stage.openPullRequest("one");
    await submit(pr);
    const sha = await testedSha();
    const status = { sha, context: "legal", state: "success" } as const;
    await stage.octokit("alice").rest.repos.createCommitStatus({ ...at, ...status });
    await stillWaits(pr);
    await stage.sandbox.reportStatus(name, status);
    await stage.until(pr, "merged");
  });

  test("does not hide a rule about open conversations behind 100 other rules", async () => {
    const filler: RuleOptions[] = Array.from({ length: 120 }, () => "deletion");
    const conversations: RuleOptions = { type: "pull_request", required_review_thread_resolution: true };
    await open((slug) => [exempt(slug, ...filler, conversations, checks("build"))]);
    const pr = await stage.openPullRequest("one");
    await stage.review(pr, "COMMENT", { comments: ["Why?"] });
    await submit(pr);
    await eventually(async () => {
      const why = (await stage.look(pr))?.why ?? [];
      return why.some(({ text }) => /conversation/.test(text)) ? why : null;
    }, "the open conversation to be named");
    await stage.resolveConversations(pr);
    await stage.until(pr, "merged");
  });

  test("that is the queue's own check is not waited for", async () => {
    await open((slug) => [exempt(slug, checks("build", "Trainyard (main)"))]);
    const pr = await stage.openPullRequest("one");
    await submit(pr);
    await stage.until(pr, "merged");
  });

  test("is read from branch protection when the plan has no rulesets", async () => {
    await open(() => [], { repository: { plan: "free", protection: { requiredChecks: ["build"] } } });
    const pr = await stage.openPullRequest("one");
    await submit(pr);
    await stage.until(pr, "merged");
  });
});

describe("a pull request that GitHub calls blocked", () => {
  test("for a rule that does not stop the queue is admitted and merges", async () => {
    await open((slug) => [
      { rules: ["update"], bypass: [{ actor: slug, mode: "always" }] },
      { rules: [checks("build")] },
      { rules: [{ type: "commit_message_pattern", operator: "starts_with", pattern: "Add" }] },
    ]);
    const pr = await stage.openPullRequest("one");
    expect((await stage.pull(pr)).mergeable_state).toBe("blocked");
    await submit(pr);
    await stage.until(pr, "merged");
  });

  test("waits while a required check of its head has not passed", async () => {
    await open(() => [{ rules: [checks("build", "legal")] }]);
    const pr = await stage.openPullRequest("one");
    await submit(pr);
    const entry = await stage.until(pr, "not_ready");
    expect(JSON.stringify(entry.why)).toMatch(/required check .*legal.* has not reported on its head/);
    const { head } = await stage.pull(pr);
    await stage.sandbox.reportStatus(name, { sha: head.sha, context: "legal", state: "success" });
    const sha = await testedSha();
    await stage.sandbox.reportStatus(name, { sha, context: "legal", state: "success" });
    await stage.until(pr, "merged");
  });
});
