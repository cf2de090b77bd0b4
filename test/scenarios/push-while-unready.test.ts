import { afterEach, describe, expect, test } from "@jest/globals";
import { Fork } from "../sandbox/fork.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

afterEach(() => stage.close());

const red = '{"broken":true}\n';
const green = "{}\n";

/** A pull request of alice that was submitted while its own checks were red. */
async function submittedWhileRed(by: string, options: StageOptions = {}): Promise<number> {
  stage = await Stage.open({ queue: {}, ...options });
  if (by === "admin") {
    await stage.pushToMain({ ".github/trainyard.yml": "permission: admin\n" });
    await stage.untilHandled();
  }
  const pr = await stage.openPullRequest("fixed-later", { "facts/fixed.json": red });
  await stage.comment(pr, "/trainyard merge", by);
  await stage.until(pr, "not_ready");
  await stage.untilCommented(pr, /build.* failed on its head/);
  return pr;
}

async function untilHead(pr: number, sha: string): Promise<void> {
  await eventually(
    async () => ((await stage.look(pr))?.prSha === sha ? true : null),
    `#${pr} to be queued at ${sha}`,
  );
}

describe("a pull request that was submitted while its checks were red", () => {
  test("stays submitted when its fix is pushed, and merges once it is ready", async () => {
    const pr = await submittedWhileRed("bob");
    await stage.push("fixed-later", { "facts/fixed.json": green });
    const merged = await stage.until(pr, "merged");
    expect(merged).toMatchObject({ submittedBy: "bob", prSha: (await stage.pull(pr)).head.sha });
  });

  test("stays submitted at each head that is pushed before it is ready", async () => {
    const pr = await submittedWhileRed("alice");
    await stage.push("fixed-later", { "facts/fixed.json": red, "notes.txt": "Still red.\n" });
    const { sha } = (await stage.pull(pr)).head;
    await untilHead(pr, sha);
    await stage.untilCommented(pr, new RegExp(`\\*\\*Submitted\\*\\*.*${sha.slice(0, 7)}`));
    expect(await stage.look(pr)).toMatchObject({ state: "not_ready" });
  });

  test("stays submitted when the webhook of the push is lost", async () => {
    const pr = await submittedWhileRed("alice", { environment: { TRAINYARD_RECONCILE_MS: "300" } });
    stage.sandbox.setWebhookUrl("http://127.0.0.1:9/nowhere");
    await stage.push("fixed-later", { "facts/fixed.json": green });
    await stage.until(pr, "merged");
  });

  test("leaves the queue when somebody pushes who may not submit, and the comment says what to do", async () => {
    const pr = await submittedWhileRed("admin");
    await stage.push("fixed-later", { "facts/fixed.json": green });
    const { sha } = (await stage.pull(pr)).head;
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "PUSHED_TO" });
    await stage.untilCommented(
      pr,
      new RegExp(
        `New commits were pushed \\(${sha.slice(0, 7)}\\)\\. @alice, @admin: Comment \`/trainyard merge\` to queue them\\.`,
      ),
    );
    // The command names the head, because the push and the comment may be of the same second.
    await stage.comment(pr, `/trainyard merge ${sha}`, "admin");
    await stage.until(pr, "merged");
  });

  test("leaves the queue when its fork is pushed to", async () => {
    stage = await Stage.open({ rules: { requiredReviews: 1 }, queue: {} });
    const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
    const base = (await stage.branch("main")).commit.sha;
    const first = await fork.commit(base, "good.txt");
    const { pull } = await fork.openPull("topic", first);
    await stage.untilHandled();
    await stage.comment(pull.number, `/trainyard merge ${first}`, "bob");
    await stage.until(pull.number, "not_ready");
    await fork.push("topic", await fork.commit(first, "more.txt"));
    expect(await stage.until(pull.number, "cancelled")).toMatchObject({ reason: "PUSHED_TO" });
  });
});

describe("the label that submitted a pull request comes off", () => {
  async function untilUnlabelled(pr: number): Promise<void> {
    await eventually(
      async () => ((await stage.pull(pr)).labels.length === 0 ? true : null),
      `#${pr} to have no label`,
    );
  }

  test("after its merge", async () => {
    stage = await Stage.open({ queue: {} });
    const pr = await stage.openPullRequest("good");
    await stage.label(pr, "trainyard:merge");
    await stage.until(pr, "merged");
    await untilUnlabelled(pr);
  });

  test("when it fails, and adding it again submits the pull request again", async () => {
    stage = await Stage.open({ queue: {}, ci: { pullRequests: false }, requiredChecks: null });
    await stage.client.updateQueue({ ...stage.queue, requiredStatuses: ["build"] });
    const pr = await stage.openPullRequest("broken", { "facts/broken.json": red });
    await stage.label(pr, "trainyard:merge");
    const ended = await eventually(async () => {
      const entry = await stage.look(pr);
      return entry?.state === "failed" ? entry : null;
    }, `#${pr} to fail`);
    await untilUnlabelled(pr);
    await stage.push("broken", { "facts/broken.json": green });
    await stage.untilHandled();
    await stage.label(pr, "trainyard:merge");
    await eventually(async () => {
      const entry = await stage.look(pr);
      return entry?.state === "merged" && entry.prSha !== ended.prSha ? true : null;
    }, `#${pr} to merge`);
  });
});
