import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({ queue: {}, ...options });
  return stage;
}

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Tests never end, because the required check is never reported. */
const endless: StageOptions = { requiredChecks: null, queue: { requiredStatuses: ["never"] } };

describe.each(variants(["squash", "merge_commit"]))("with %s", (mergeMethod) => {
  test("a comment gets a pull request tested and merged, with one comment and one check about it", async () => {
    await open({ queue: { mergeMethod } });
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    const entry = await stage.until(pr, "merged");
    const pull = await eventually(async () => {
      const found = await stage.pull(pr);
      return found.merged ? found : null;
    }, "GitHub to show it as merged");
    const main = await stage.branch("main");
    expect(await stage.sandbox.ci.greenTrees("acme/widgets")).toContain(main.commit.commit.tree.sha);
    if (mergeMethod === "squash") expect(pull.merge_commit_sha).toBe(main.commit.sha);
    else expect(main.commit.parents.map(({ sha }) => sha)).toContain(pull.head.sha);
    await stage.untilCommented(pr, /\*\*Merged\*\* into `main`/);
    await stage.untilChecked(entry.prSha, "success");
    const checks = await stage.ourChecks(entry.prSha);
    expect(checks.map(({ name, conclusion }) => ({ name, conclusion }))).toEqual([
      { name: "Trainyard (main)", conclusion: "success" },
    ]);
  });

  test("pull requests are tested on top of each other and merged in order", async () => {
    await open({ queue: { mergeMethod, concurrency: 3 } });
    const prs = [];
    for (const name of ["one", "two", "three"]) prs.push(await stage.openPullRequest(name));
    for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    for (const pr of prs) await stage.until(pr, "merged");
    const green = await stage.sandbox.ci.greenTrees("acme/widgets");
    const main = await stage.branch("main");
    expect(green).toContain(main.commit.commit.tree.sha);
  });

  test("of two pull requests that pass alone and fail together, the second fails with the failing check in its comment", async () => {
    await open({ queue: { mergeMethod, concurrency: 2 } });
    const first = await stage.openPullRequest("sets", { "facts/sets.json": '{"sets":["x"]}\n' });
    const second = await stage.openPullRequest("forbids", { "facts/forbids.json": '{"forbids":["x"]}\n' });
    for (const pr of [first, second]) {
      await stage.comment(pr, "/trainyard merge");
      await stage.until(pr, "pending", "testing", "tests_passed", "merged", "failed");
    }
    await stage.until(first, "merged");
    expect(await stage.until(second, "failed")).toMatchObject({ reason: "CHECKS_FAILED" });
    const comment = await stage.untilCommented(second, /\*\*Removed from the queue\*\*/);
    expect(comment).toMatch(/\| \[`test`\]\(http.*\) \| failure \|/);
    expect(comment).toContain("@alice");
    // It may have been tested again after the first one merged.
    expect(comment).toMatch(
      /`test` failed (on top of #1|together with `main`), but passed on your branch alone: probably an interaction with (#1|a change on `main`)\./,
    );
  });

  test("of two pull requests that change one line, the second fails as conflicting", async () => {
    await open({ queue: { mergeMethod, concurrency: 2 }, ci: { lastStep: gate.lastStep } });
    const first = await stage.openPullRequest("first-note", { "notes.txt": "First.\n" });
    const second = await stage.openPullRequest("second-note", { "notes.txt": "Second.\n" });
    await stage.comment(first, "/trainyard merge");
    await stage.until(first, "testing");
    await stage.comment(second, "/trainyard merge");
    await stage.until(second, "pending");
    gate.open();
    await stage.until(first, "merged");
    expect(await stage.until(second, "failed")).toMatchObject({
      reason: "MERGE_CONFLICT_WITH_BASE",
      readiness: { gitHubMergeability: "not_mergeable" },
    });
    const conflict = `Conflicts with \`main\` since #${first} merged, in \`notes.txt\`.`;
    expect(await stage.untilCommented(second, /Conflicts with/)).toContain(conflict);
  });
});

describe("a pull request leaves the queue", () => {
  test("when a comment cancels it", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await stage.until(pr, "testing");
    await stage.comment(pr, "/trainyard cancel", "bob");
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "CANCELLED_BY_USER" });
    await stage.untilCommented(pr, /Cancelled by \u200b@\u200bbob/);
  });

  test("when it is pushed to", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await stage.until(pr, "testing");
    await stage.push("good", { "facts/good.json": '{"sets":["more"]}\n' });
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "PUSHED_TO" });
  });

  test("when the label that submitted it is removed", async () => {
    await open(endless);
    const pr = await stage.openPullRequest("good");
    await stage.label(pr, "trainyard:merge");
    await stage.until(pr, "testing");
    await stage.unlabel(pr, "trainyard:merge");
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "LABEL_REMOVED" });
  });
});

describe("a submission", () => {
  test("of a pull request whose own checks are red waits and explains why, and merges once it is fixed", async () => {
    await open();
    const pr = await stage.openPullRequest("broken", { "facts/broken.json": '{"broken":true}\n' });
    await stage.comment(pr, "/trainyard merge");
    const entry = await stage.until(pr, "not_ready");
    expect(entry.readiness.gitHubMergeability).toBe("not_mergeable");
    const told = await stage.untilCommented(pr, /required check "build" failed on its head/);
    expect(told).toMatch(/push a fix:\s+\| failed check [\s\S]*\| \[`build`\]\(http/);
    await stage.push("broken", { "facts/broken.json": "{}\n" });
    await stage.until(pr, "merged");
  });

  test("of a draft waits as not ready", async () => {
    await open();
    const pr = await stage.openPullRequest("draft", undefined, { draft: true });
    await stage.comment(pr, "/trainyard merge");
    const entry = await stage.until(pr, "not_ready");
    expect(entry.why.map(({ code }) => code)).toContain("DRAFT");
  });

  test("without required checks fails untested, and the comment says how to configure some", async () => {
    await open({ requiredChecks: null });
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    expect(await stage.until(pr, "failed")).toMatchObject({ reason: "NO_REQUIRED_CHECKS" });
    await stage.untilCommented(pr, /sets required checks in the branch's protection/);
  });

  test("by a user with read access is refused with the rule, and nothing is queued", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge", "carol");
    await stage.untilCommented(
      pr,
      /@carol has `read` permission on this repository, and queueing needs `write`/,
    );
    expect(await stage.look(pr)).toBeNull();
    await stage.comment(pr, "/trainyard merge", "alice");
    await stage.until(pr, "merged");
    await stage.untilCommented(pr, /\*\*Merged\*\*/);
  });

  test("by a misspelt command is answered with the usage", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge --now");
    await stage.untilCommented(
      pr,
      /`--now` is not an option or argument of this command. Use `\/trainyard merge/,
    );
    expect(await stage.look(pr)).toBeNull();
  });

  test("by a command that names another head is refused with the right one", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge 1234567");
    const { head } = await stage.pull(pr);
    await stage.untilCommented(
      pr,
      new RegExp(`The head of #${pr} is not \`1234567\`.*: \`/trainyard merge ${head.sha}\``),
    );
    await stage.comment(pr, `/trainyard merge ${head.sha.slice(0, 10)}`);
    await stage.until(pr, "merged");
  });

  test("on a branch without a queue is answered with how to create one", async () => {
    stage = await Stage.open();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await stage.untilCommented(pr, /has no merge queue for `main` yet/);
  });
});

describe("a base", () => {
  test("that someone else moves while tests run restarts the tests on top of it", async () => {
    await open({ ci: { lastStep: gate.lastStep } });
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await stage.until(pr, "testing");
    await stage.pushToMain({ "facts/outside.json": '{"sets":["outside"]}\n' });
    gate.open();
    await stage.until(pr, "merged");
    const main = await stage.branch("main");
    expect(await stage.sandbox.ci.greenTrees("acme/widgets")).toContain(main.commit.commit.tree.sha);
  });
});
