import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { SandboxOptions } from "../../tools/sandbox/sandbox.ts";
import { branchWith, commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, type Scene, target } from "./scene.ts";
import { receiveWebhooks, type WebhookReceiver } from "./webhook-receiver.ts";

/** Runs a scene without CI, whose webhooks arrive at a real server. */
async function hearing(
  listen: (scene: Scene, receiver: WebhookReceiver) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  const receiver = await receiveWebhooks();
  try {
    await inSandbox(
      (scene) => listen(scene, receiver),
      { webhookUrl: receiver.url, ...options },
      { ci: null },
    );
  } finally {
    await receiver.close();
  }
}

const writeComments = async ({ asAlice }: Scene, count: number) => {
  const { number } = await openPull(asAlice, "feature", { a: "1" });
  for (let index = 0; index < count; index += 1) {
    await asAlice.rest.issues.createComment({ ...target, issue_number: number, body: String(index) });
  }
};

const bodies = (receiver: WebhookReceiver) =>
  receiver.received
    .filter(({ event }) => event === "issue_comment")
    .map(({ payload }) => (payload.comment as { body: string }).body);

test("webhooks report a pull request's life in order, signed, and with GitHub's headers", () =>
  hearing(async (scene, receiver) => {
    const { asAlice, sandbox } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" }, { draft: true });
    const update = (changes: object) =>
      asAlice.rest.pulls.update({ ...target, pull_number: number, ...changes });
    const issue = { ...target, issue_number: number };
    await asAlice.rest.issues.addLabels({ ...issue, labels: ["merge"] });
    await asAlice.rest.issues.removeLabel({ ...issue, name: "merge" });
    await update({ draft: false });
    await update({ draft: true });
    await update({ title: "Renamed" });
    await asAlice.rest.git.updateRef({
      ...target,
      ref: "heads/feature",
      sha: await commitOn(asAlice, sha, { b: "1" }),
    });
    const { data: comment } = await asAlice.rest.issues.createComment({ ...issue, body: "One" });
    await asAlice.rest.issues.updateComment({ ...target, comment_id: comment.id, body: "Two" });
    await asAlice.rest.issues.deleteComment({ ...target, comment_id: comment.id });
    await asAlice.rest.repos.createCommitStatus({ ...target, sha, state: "success" });
    await update({ state: "closed" });
    await update({ state: "open" });
    await sandbox.settled();
    expect(receiver.names()).toEqual([
      "installation.created",
      "push",
      "check_suite.requested",
      "pull_request.opened",
      "pull_request.labeled",
      "pull_request.unlabeled",
      "pull_request.ready_for_review",
      "pull_request.converted_to_draft",
      "pull_request.edited",
      "push",
      "check_suite.requested",
      "pull_request.synchronize",
      "issue_comment.created",
      "issue_comment.edited",
      "issue_comment.deleted",
      "status",
      "pull_request.closed",
      "pull_request.reopened",
    ]);
    for (const webhook of receiver.received) {
      expect(await receiver.isSigned(webhook, sandbox.app.webhookSecret)).toBe(true);
      expect(await receiver.isSigned(webhook, "development")).toBe(false);
    }
    const edited = receiver.received.find(({ action }) => action === "edited");
    expect(edited?.headers).toMatchObject({
      "x-github-event": "pull_request",
      "x-github-hook-installation-target-type": "integration",
      "x-github-hook-installation-target-id": String(sandbox.app.id),
      "content-type": "application/json",
    });
    expect(String(edited?.headers["user-agent"])).toMatch(/^GitHub-Hookshot\//);
    expect(edited?.payload).toMatchObject({
      changes: { title: { from: "Add feature" } },
      sender: { login: "alice" },
    });
    expect(new Set(receiver.received.map(({ guid }) => guid)).size).toBe(receiver.received.length);
  }));

test("a push webhook lists commits and their files, but none for a deleted branch", () =>
  hearing(async ({ asAlice, sandbox }, receiver) => {
    const sha = await branchWith(asAlice, "feature", { a: "1", "README.md": null }, { message: "Swap" });
    const before = await tipOf(asAlice, "main");
    await asAlice.rest.git.deleteRef({ ...target, ref: "heads/feature" });
    await sandbox.settled();
    const [made, removed] = receiver.received
      .filter(({ event }) => event === "push")
      .map(({ payload }) => payload);
    expect(made).toMatchObject({
      ref: "refs/heads/feature",
      created: true,
      after: sha,
      commits: [{ id: sha, message: "Swap", added: ["a"], removed: ["README.md"], modified: [] }],
      pusher: { name: "alice" },
    });
    expect(removed).toMatchObject({
      before: sha,
      after: "0".repeat(40),
      deleted: true,
      commits: [],
      head_commit: null,
    });
    expect(before).not.toBe(sha);
  }));

test("the App receives webhooks for its own actions, with its bot as sender", () =>
  hearing(async ({ asAlice, asInstallation, sandbox }, receiver) => {
    const { sha } = await openPull(asAlice, "feature", { a: "1" });
    await asInstallation.rest.checks.create({
      ...target,
      name: "Trainyard",
      head_sha: sha,
      conclusion: "success",
    });
    await sandbox.settled();
    const own = receiver.received.filter(({ event }) => event === "check_run");
    expect(own.map(({ action }) => action)).toEqual(["created", "completed"]);
    expect(own[0]?.payload).toMatchObject({
      sender: { login: `${sandbox.app.slug}[bot]`, type: "Bot" },
      installation: { id: expect.any(Number) },
    });
  }));

test("an App receives the events that it subscribes to, and those of its installations", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sandbox-manifest-"));
  const appManifest = join(directory, "app.yml");
  await writeFile(
    appManifest,
    "name: Listener\ndefault_permissions: { contents: write, pull_requests: read }\ndefault_events: [create, delete, pull_request_review]\n",
  );
  const act = async ({ asAlice, asAdmin, sandbox }: Scene) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    await asAdmin.rest.pulls.createReview({ ...target, pull_number: number, event: "COMMENT", body: "Hm" });
    await asAlice.rest.git.deleteRef({ ...target, ref: "heads/feature" });
    await sandbox.createRepository({ owner: "acme", name: "gadgets", files: { a: "1" } });
    await sandbox.settled();
  };
  await hearing(
    async (scene, receiver) => {
      await act(scene);
      expect(receiver.names()).toEqual([
        "installation.created",
        "create",
        "pull_request_review.submitted",
        "delete",
        "installation_repositories.added",
      ]);
    },
    { appManifest },
  );
  await rm(directory, { recursive: true });
});

test("dropped webhooks neither arrive nor are listed", () =>
  hearing(
    async (scene, receiver) => {
      await writeComments(scene, 3);
      await scene.sandbox.settled();
      expect(receiver.received).toEqual([]);
      expect(scene.sandbox.deliveries).toEqual([]);
    },
    { webhooks: { drop: 1 } },
  ));

test("duplicated webhooks arrive twice, with the same GUID", () =>
  hearing(
    async (scene, receiver) => {
      await writeComments(scene, 2);
      await scene.sandbox.settled();
      expect(bodies(receiver)).toEqual(["0", "0", "1", "1"]);
      const guids = receiver.received.map(({ guid }) => guid);
      expect(new Set(guids).size).toBe(guids.length / 2);
    },
    { webhooks: { duplicate: 1 } },
  ));

test("the same seed drops the same webhooks", async () => {
  const heard: string[][] = [];
  for (let round = 0; round < 2; round += 1) {
    await hearing(
      async (scene, receiver) => {
        await writeComments(scene, 12);
        await scene.sandbox.settled();
        heard.push(bodies(receiver));
      },
      { seed: 7, webhooks: { drop: 0.5 } },
    );
  }
  expect(heard[0]).toEqual(heard[1]);
  expect(heard[0]?.length).toBeGreaterThan(0);
  expect(heard[0]?.length).toBeLessThan(12);
});

test("reordered webhooks all arrive in another order, and delayed webhooks keep their order", async () => {
  const orders: string[][] = [];
  for (const webhooks of [{ reorder: 0.5 }, { delayMs: [10, 60] as const }]) {
    await hearing(
      async (scene, receiver) => {
        await writeComments(scene, 10);
        await scene.sandbox.settled();
        orders.push(bodies(receiver));
      },
      { webhooks },
    );
  }
  const inOrder = Array.from({ length: 10 }, (_, index) => String(index));
  expect(orders[0]).not.toEqual(inOrder);
  expect(orders[0]?.toSorted()).toEqual(inOrder);
  expect(orders[1]).toEqual(inOrder);
});

test("a failed delivery is listed, not repeated, and redelivered on demand with its GUID", () =>
  hearing(async (scene, receiver) => {
    const { asApp, sandbox } = scene;
    await sandbox.settled();
    receiver.answerWith(500);
    await writeComments(scene, 1);
    await sandbox.settled();
    receiver.answerWith(200);
    const { data: failed } = await asApp.rest.apps.listWebhookDeliveries({ status: "failure" });
    expect(failed.map(({ event, status_code }) => `${event} ${status_code}`)).toContain("issue_comment 500");
    const delivery = failed.find(({ event }) => event === "issue_comment");
    const delivery_id = delivery?.id ?? 0;
    const { data: detail } = await asApp.rest.apps.getWebhookDelivery({ delivery_id });
    expect(detail).toMatchObject({ guid: delivery?.guid, response: { payload: "seen" } });
    expect(detail.request.payload).toMatchObject({ action: "created", comment: { body: "0" } });
    const arrived = receiver.received.length;
    expect((await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id })).status).toBe(202);
    await sandbox.settled();
    expect(receiver.received).toHaveLength(arrived + 1);
    expect(receiver.received.at(-1)?.guid).toBe(delivery?.guid);
    expect(sandbox.deliveries.at(-1)).toMatchObject({
      redelivery: true,
      succeeded: true,
      guid: delivery?.guid,
    });
  }));

test("the list of deliveries has pages, newest first", () =>
  hearing(async (scene) => {
    await writeComments(scene, 4);
    await scene.sandbox.settled();
    const all = await scene.asApp.paginate(scene.asApp.rest.apps.listWebhookDeliveries, { per_page: 3 });
    expect(all.map(({ guid }) => guid)).toEqual(scene.sandbox.deliveries.map(({ guid }) => guid).reverse());
  }));

test("a webhook to a missing receiver is a failed delivery", () =>
  inSandbox(async ({ sandbox, asAlice }) => {
    sandbox.setWebhookUrl("http://127.0.0.1:9/");
    await openPull(asAlice, "feature", { a: "1" });
    await sandbox.settled();
    expect(sandbox.deliveries[0]).toMatchObject({ event: "push", succeeded: false, statusCode: 0 });
  }));
