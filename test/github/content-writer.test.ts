import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { CheckRunPublisher } from "../../src/github/checks/check-run.ts";
import { unlimited } from "../../src/github/client/content-budget.ts";
import { ContentWriter } from "../../src/github/client/content-writer.ts";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import { Commenter } from "../../src/github/pull-requests/comment.ts";
import { react } from "../../src/github/pull-requests/conversation.ts";
import type { CheckRunContent } from "../../src/ports/code-host/checks.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { inSandbox, type Scene, target } from "../sandbox/scene.ts";

/** Writers like those of the service. Their budget is unlimited unless the test passes another one. */
function writing({ asInstallation }: Pick<Scene, "asInstallation">, requestPermit = async () => unlimited) {
  const writer = new ContentWriter(asInstallation, requestPermit);
  const place = { octokit: asInstallation, at: target, writer, ids: new NodeIds() };
  return {
    writer,
    comments: new Commenter(place),
    checks: new CheckRunPublisher(place),
  };
}

const check = (headSha: string, changes: Partial<CheckRunContent> = {}): CheckRunContent => ({
  name: "Trainyard (main)",
  headSha,
  externalId: "entry-1",
  detailsUrl: null,
  status: "in_progress",
  conclusion: null,
  title: "testing",
  summary: "All is well.",
  ...changes,
});

const text = (body: string, mark: string | null = null) => ({ body, mark, instance: "a1-us" });

const requestsOf = ({ sandbox }: Scene) =>
  sandbox.requests.entries
    .filter(
      ({ operationId }) => /add|create|update/.test(operationId ?? "") && operationId?.startsWith("graphql/"),
    )
    .map(({ operationId }) => operationId);

const ourComments = async (octokit: Octokit, issue_number: number) =>
  (await octokit.rest.issues.listComments({ ...target, issue_number })).data.map(({ body }) => body);

test("a comment, a reaction and a check that are written together go in one request", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const said = await asAlice.rest.issues.createComment({ ...target, issue_number: number, body: "/merge" });
    const { writer, comments, checks } = writing(scene);
    // From here on, the node ids are known.
    await comments.put(number, await comments.put(number, null, text("One"), false), text("Two"), false);
    await checks.put(null, check(sha), false);
    scene.sandbox.requests.clear();
    await Promise.all([
      comments.put(number, null, text("Three"), false),
      react(writer, said.data.node_id, "thumbs_up"),
      checks.put(
        null,
        check(sha, { externalId: "entry-2", conclusion: "success", status: "completed" }),
        false,
      ),
    ]);
    expect(requestsOf(scene)).toHaveLength(1);
    expect(await ourComments(asAlice, number)).toEqual([
      "/merge",
      expect.stringContaining("Two"),
      expect.stringContaining("Three"),
    ]);
    const { data } = await asAlice.rest.checks.listForRef({
      ...target,
      ref: sha,
      check_name: "Trainyard (main)",
    });
    expect(data.check_runs.map(({ conclusion }) => conclusion)).toEqual(["success"]);
  }));

test("a mutation that GitHub refuses does not affect the others in its request", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { writer, comments } = writing(scene);
    const id = await comments.put(number, null, text("One"), false);
    const results = await Promise.allSettled([
      react(writer, "no-such-comment", "thumbs_up"),
      comments.put(number, id, text("Two"), false),
    ]);
    expect(results).toMatchObject([
      { status: "rejected", reason: { kind: "not_found" } },
      { status: "fulfilled", value: id },
    ]);
    expect(await ourComments(asAlice, number)).toEqual([expect.stringContaining("Two")]);
  }));

test("a comment or check that was deleted is written again", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const { comments, checks } = writing(scene);
    const id = await comments.put(number, null, text("One"), false);
    const [{ id: comment_id } = { id: 0 }] = (
      await asAlice.rest.issues.listComments({ ...target, issue_number: number })
    ).data;
    await asAlice.rest.issues.deleteComment({ ...target, comment_id });
    expect(await comments.put(number, id, text("Two"), false)).not.toEqual(id);
    expect(await checks.put("no-such-check", check(sha), false)).toEqual(expect.any(String));
  }));

test("comments and checks that earlier versions stored by number are edited", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const { comments, checks } = writing(scene);
    const ids = [
      await comments.put(number, null, text("One"), false),
      await checks.put(null, check(sha), false),
    ];
    const [comment] = (await asAlice.rest.issues.listComments({ ...target, issue_number: number })).data;
    const run = (
      await asAlice.rest.checks.listForRef({ ...target, ref: sha, check_name: "Trainyard (main)" })
    ).data.check_runs[0];
    expect([
      await comments.put(number, { id: String(comment?.id), mark: null }, text("Two"), false),
      await checks.put(String(run?.id), check(sha), false),
    ]).toEqual(ids);
    expect(await comments.put(number, { id: "1", mark: null }, text("Three"), false)).not.toEqual(ids[0]);
  }));

test("only the known one of duplicate comments is kept, and the latest of duplicate checks is used", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const { comments, checks } = writing(scene);
    const id = await comments.put(number, null, text("One"), false);
    await comments.put(number, null, text("Two"), false);
    expect(await comments.put(number, id, text("Three"), true)).toEqual(id);
    expect(await ourComments(asAlice, number)).toEqual([expect.stringContaining("Three")]);
    const first = await checks.put(null, check(sha), false);
    const second = await checks.put(null, check(sha), false);
    expect(await checks.put(first, check(sha), true)).toBe(second);
  }));

test("a new comment beyond the budget is rejected with the time to wait, but an edit needs no budget", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    let leave = unlimited;
    const { comments } = writing(scene, async () => leave);
    const id = await comments.put(number, null, text("One"), false);
    leave = { waitMs: 30_000, everyMs: 10_000 };
    const results = await Promise.allSettled([
      comments.put(number, null, text("Two"), false),
      comments.put(number, id, text("Three"), false),
    ]);
    expect(results).toMatchObject([
      { status: "rejected", reason: { kind: "rate_limited", retryAfterMs: expect.closeTo(30_000, -2) } },
      { status: "fulfilled", value: id },
    ]);
  }));

test("comments and checks are written with very long texts and with fifty annotations", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const { comments, checks } = writing(scene);
    await comments.put(number, null, text("x".repeat(100_000)), false);
    const annotations = Array.from({ length: 50 }, (_, line) => ({
      path: "a",
      line: line + 1,
      message: "Wrong.",
    }));
    await checks.put(null, check(sha, { summary: "y".repeat(100_000), annotations }), false);
    const { data } = await asAlice.rest.checks.listForRef({
      ...target,
      ref: sha,
      check_name: "Trainyard (main)",
    });
    expect(data.check_runs[0]?.output.annotations_count).toBe(50);
  }));

test("a comment for a lost place is created once, and hides the one before as outdated", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { comments } = writing(scene);
    const shown = async () =>
      (await asAlice.rest.issues.listComments({ ...target, issue_number: number })).data.map(
        (comment) =>
          `${comment.body?.split("\n")[1]}${"minimized" in comment && comment.minimized ? " (hidden)" : ""}`,
      );
    const first = await comments.put(number, null, text("Queued"), false);
    const lost = await comments.put(number, first, text("Removed", "one@1"), false);
    expect(await shown()).toEqual(["Queued (hidden)", "Removed"]);
    // The next try after one that ended before it stored the id.
    expect(await comments.put(number, first, text("Removed, again", "one@1"), true)).toEqual(lost);
    // The same, if the id of the first comment was not stored either.
    expect(await comments.put(number, null, text("Removed", "one@1"), true)).toEqual(lost);
    expect(await shown()).toEqual(["Queued (hidden)", "Removed"]);
    // The pull request is queued again, and only that try knows of the new comment.
    expect(await comments.put(number, first, text("Queued again"), true)).toEqual(lost);
    expect(await comments.put(number, lost, text("Queued once more"), false)).toEqual(lost);
    expect(await shown()).toEqual(["Queued (hidden)", "Queued once more"]);
    await comments.put(number, lost, text("Removed", "one@2"), true);
    expect(await shown()).toEqual(["Queued (hidden)", "Queued once more (hidden)", "Removed"]);
  }));

test("a comment for a lost place hides one whose id was never stored", () =>
  inSandbox(async (scene) => {
    const { number } = await openPull(scene.asAlice, "feature", { a: "1" });
    const { comments } = writing(scene);
    await comments.put(number, null, text("Queued"), false);
    await comments.put(number, null, text("Removed", "one@1"), true);
    const { data } = await scene.asAlice.rest.issues.listComments({ ...target, issue_number: number });
    expect(data.map((comment) => "minimized" in comment && comment.minimized !== null)).toEqual([
      true,
      false,
    ]);
  }));

test("a comment for a lost place is written although the one before is gone", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { comments } = writing(scene);
    const first = await comments.put(number, null, text("Queued"), false);
    const [{ id: comment_id } = { id: 0 }] = (
      await asAlice.rest.issues.listComments({ ...target, issue_number: number })
    ).data;
    await asAlice.rest.issues.deleteComment({ ...target, comment_id });
    await comments.put(number, first, text("Removed", "one@1"), false);
    expect(await ourComments(asAlice, number)).toEqual([
      "<!-- trainyard one@1 --><!-- by a1-us -->\nRemoved",
    ]);
  }));

test("a comment for a lost place replaces the one before while the conversation is locked", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { comments } = writing(scene);
    const first = await comments.put(number, null, text("Queued"), false);
    scene.sandbox.lockConversation("acme/widgets", number);
    const lost = await comments.put(number, first, text("Removed", "one@1"), false);
    expect(lost).toEqual({ id: first.id, mark: "one@1" });
    expect(await comments.put(number, lost, text("Removed", "one@1"), true)).toEqual(lost);
    expect(await ourComments(asAlice, number)).toEqual([
      "<!-- trainyard one@1 --><!-- by a1-us -->\nRemoved",
    ]);
  }));
