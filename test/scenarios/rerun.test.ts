import { afterEach, expect, test } from "@jest/globals";
import { deliver } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

afterEach(() => stage.close());

async function open(options: StageOptions = {}): Promise<void> {
  stage = await Stage.open({ queue: { mergeMethod: "merge_commit" }, ...options });
}

const at = { owner: "acme", repo: "widgets" };

async function rerun(pr: number, by = "alice"): Promise<void> {
  const check = (await stage.ourChecks((await stage.pull(pr)).head.sha)).at(-1);
  await stage.octokit(by).request("POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", {
    ...at,
    check_run_id: check?.id ?? 0,
  });
}

async function rerunAll(pr: number, by = "alice"): Promise<void> {
  const check = (await stage.ourChecks((await stage.pull(pr)).head.sha)).at(-1);
  const check_suite_id = check?.check_suite?.id ?? 0;
  await stage.octokit(by).rest.checks.rerequestSuite({ ...at, check_suite_id });
}

/** A pull request that is cancelled during its tests, with its check. Later tests are fast. */
async function cancelled(): Promise<number> {
  const pr = await stage.openPullRequest("one");
  stage.sandbox.setCi("acme/widgets", { durationMs: [60_000, 60_000] });
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await stage.comment(pr, "/trainyard cancel");
  await stage.until(pr, "cancelled");
  stage.sandbox.setCi("acme/widgets", { durationMs: [60, 160] });
  await stage.untilChecked((await stage.pull(pr)).head.sha, "cancelled");
  return pr;
}

test.each([
  ["Re-run", rerun],
  ["Re-run all checks", rerunAll],
])("%s on the queue's check submits a cancelled pull request again at that head", async (_name, press) => {
  await open();
  const pr = await cancelled();
  await press(pr);
  const { submittedVia, submittedBy, prSha } = await stage.until(pr, "merged");
  expect([submittedVia, submittedBy, prSha]).toEqual(["check", "alice", (await stage.pull(pr)).head.sha]);
});

test("Re-run on the check of a branch that was renamed since submits the pull request to the queue of that branch", async () => {
  await open();
  const pr = await cancelled();
  await stage.sandbox.renameBranch("acme/widgets", "main", "trunk");
  const moved = { ...stage.queue, targetBranch: "trunk" };
  await eventually(async () => stage.client.getQueue(moved).catch(() => null), "the queue of trunk");
  await rerun(pr);
  await eventually(async () => {
    const { state } = await stage.client.getSubmittedPullRequest({ ...moved, pr: { number: pr } });
    return state === "merged" ? true : null;
  }, "the pull request to be merged");
});

test("Re-run restarts the tests of a queued pull request", async () => {
  await open({ requiredChecks: [], queue: { requiredStatuses: ["never"] } });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await eventually(async () => {
    const checks = await stage.ourChecks((await stage.pull(pr)).head.sha);
    return checks.length > 0 ? true : null;
  }, "our check");
  await rerunAll(pr);
  await stage.untilCommented(pr, /@alice: Its tests start again\. It keeps its place\./);
  await stage.until(pr, "testing");
});

test("Re-run by a user without write access restarts nothing, and is answered with the reason", async () => {
  await open();
  const pr = await cancelled();
  const { head } = await stage.pull(pr);
  const [check] = await stage.ourChecks(head.sha);
  // GitHub shows the button only to users with write access, but access can be removed before the webhook is handled.
  const { data: carol } = await stage.octokit("carol").rest.users.getAuthenticated();
  await deliver(stage, "check_run", { action: "rerequested", check_run: check, sender: carol });
  await stage.untilCommented(pr, /@carol: .*\(`PERMISSION_TOO_LOW`\)/);
  expect((await stage.look(pr))?.state).toBe("cancelled");
});

test("Re-run on the check of a merged pull request changes nothing, and is answered with the reason", async () => {
  await open();
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await stage.untilChecked((await stage.pull(pr)).head.sha, "success");
  await rerun(pr);
  await stage.untilCommented(pr, /has merged: there is nothing to run again\. \(`CHECK_OUTDATED`\)/);
});

test("Re-run on the check of an older head changes nothing", async () => {
  await open();
  const pr = await cancelled();
  const [check] = await stage.ourChecks((await stage.pull(pr)).head.sha);
  await stage.push("one", { "more.txt": "More.\n" });
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged", "testing", "tests_passed");
  await stage.octokit("alice").request("POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", {
    ...at,
    check_run_id: check?.id ?? 0,
  });
  await stage.untilHandled();
  expect(await stage.until(pr, "merged")).toMatchObject({ submittedVia: "comment" });
});
