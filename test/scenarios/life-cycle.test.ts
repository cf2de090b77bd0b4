import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { createClient } from "../../src/client/client.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

const fullName = "acme/widgets";
/** Some scenarios delete and force-push branches. */
const rules = { allowDeletions: true, allowForcePushes: true };

/** Plays a scenario with webhooks, and with every webhook lost. Its gate is open at the end. */
function inBothWays(name: string, play: (stage: Stage, gate: Gate) => Promise<void>): void {
  describe(name, () => {
    test.each(variants(["told", "lost"]))("webhooks %s", async (webhooks) => {
      const environment = { TRAINYARD_RECONCILE_MS: webhooks === "lost" ? "300" : "60000" };
      const stage = await Stage.open({ queue: { concurrency: 2 }, rules, environment });
      const gate = new Gate();
      try {
        if (webhooks === "lost") stage.sandbox.setWebhookUrl(null);
        await play(stage, gate);
      } finally {
        gate.open();
        await stage.close();
      }
    });
  });
}

async function submit(stage: Stage, ...prs: number[]): Promise<void> {
  for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
}

async function untilQueue(stage: Stage, state: string, reason: string, queue = stage.queue): Promise<void> {
  let seen = "";
  await eventually(async () => {
    const found = await stage.client.getQueue(queue);
    seen = `${found.state} ${found.stateReason}`;
    return seen === `${state} ${reason}` ? true : null;
  }, `the queue to be ${state} because of ${reason}`).catch((error: unknown) => {
    throw new Error(`the queue is ${seen}`, { cause: error });
  });
}

/** The explanation that an author reads. */
async function why(stage: Stage, number: number): Promise<string> {
  const explained = await stage.client.explainPullRequest({ ...stage.queue, pr: { number } });
  return explained.why.map(({ text }) => text).join("\n");
}

inBothWays(
  "a suspended App pauses the queue without failures until it is unsuspended",
  async (stage, gate) => {
    const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    stage.sandbox.setCi(fullName, { lastStep: gate.lastStep });
    await submit(stage, one, two);
    await stage.until(one, "testing");
    await stage.sandbox.suspend("acme");
    await untilQueue(stage, "paused", "APP_SUSPENDED");
    expect(await why(stage, one)).toMatch(/suspended on acme; unsuspend it at http/);
    gate.open();
    await stage.sandbox.settled();
    await stage.sandbox.unsuspend("acme");
    await stage.until(one, "merged");
    await stage.until(two, "merged");
    await untilQueue(stage, "running", "OBSTACLE_GONE");
  },
);

inBothWays(
  "the queue of an uninstalled App continues with the id of its next installation",
  async (stage) => {
    const one = await stage.openPullRequest("one");
    await stage.sandbox.uninstall("acme");
    await submit(stage, one).catch(() => {});
    await untilQueue(stage, "paused", "APP_UNINSTALLED");
    await stage.sandbox.install("acme");
    await untilQueue(stage, "running", "OBSTACLE_GONE");
    await submit(stage, one);
    await stage.until(one, "merged");
  },
);

inBothWays("the queue follows its repository to a new name", async (stage, gate) => {
  const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  stage.sandbox.setCi(fullName, { lastStep: gate.lastStep });
  await submit(stage, one);
  await stage.until(one, "testing");
  await stage.sandbox.renameRepository(fullName, "gadgets");
  const moved = { ...stage.queue, repo: { ...stage.queue.repo, name: "gadgets" } };
  await eventually(
    async () => stage.client.getQueue(moved).catch(() => null),
    "the queue under its new name",
  );
  gate.open();
  const look = async (number: number) =>
    (await stage.client.getSubmittedPullRequest({ ...moved, pr: { number } })).state;
  await eventually(async () => ((await look(one)) === "merged" ? true : null), "#1 to be merged");
  await stage.untilCommented(one, /\*\*Merged\*\*/);
  await stage.client.submitPullRequest({ ...moved, pr: { number: two } });
  await eventually(async () => ((await look(two)) === "merged" ? true : null), "#2 to be merged");
});

inBothWays("the queue follows its repository to a new owner who has the App", async (stage) => {
  const one = await stage.openPullRequest("one");
  await stage.sandbox.transferRepository(fullName, "initech");
  await untilQueue(stage, "paused", "REPOSITORY_UNREACHABLE");
  await stage.sandbox.install("initech");
  const token = await stage.issueToken({ organisation: "initech", scopes: ["admin"] });
  const client = createClient({ baseUrl: stage.url, token, timeoutMs: 180_000 });
  const moved = { ...stage.queue, repo: { ...stage.queue.repo, owner: "initech" } };
  await eventually(async () => client.getQueue(moved).catch(() => null), "the queue of the new owner");
  await client.submitPullRequest({ ...moved, pr: { number: one } });
  await eventually(async () => {
    const { state } = await client.getSubmittedPullRequest({ ...moved, pr: { number: one } });
    return state === "merged" ? state : null;
  }, "the pull request to be merged");
});

inBothWays("the queue of an archived repository waits until it is unarchived", async (stage) => {
  const one = await stage.openPullRequest("one");
  await stage.sandbox.archive(fullName);
  await submit(stage, one).catch(() => {});
  await untilQueue(stage, "paused", "REPOSITORY_ARCHIVED");
  expect(await why(stage, one)).toMatch(/acme\/widgets is archived/);
  await stage.sandbox.unarchive(fullName);
  await stage.until(one, "merged");
});

inBothWays("the queue of a deleted repository is paused as unreachable", async (stage, gate) => {
  const one = await stage.openPullRequest("one");
  stage.sandbox.setCi(fullName, { lastStep: gate.lastStep });
  await submit(stage, one);
  await stage.until(one, "testing");
  await stage.sandbox.deleteRepository(fullName);
  await untilQueue(stage, "paused", "REPOSITORY_UNREACHABLE");
  expect((await stage.look(one))?.state).not.toBe("failed");
});

inBothWays("the queue follows its branch to a new name", async (stage, gate) => {
  const one = await stage.openPullRequest("one");
  stage.sandbox.setCi(fullName, { lastStep: gate.lastStep });
  await submit(stage, one);
  await stage.until(one, "testing");
  await stage.sandbox.renameBranch(fullName, "main", "trunk");
  const moved = { ...stage.queue, targetBranch: "trunk" };
  await eventually(async () => stage.client.getQueue(moved).catch(() => null), "the queue of trunk");
  gate.open();
  await eventually(async () => {
    const { state, reason } = await stage.client.getSubmittedPullRequest({ ...moved, pr: { number: one } });
    if (state === "failed" || state === "cancelled") throw new Error(`it is ${state}: ${reason}`);
    return state === "merged" ? state : null;
  }, "the pull request to be merged");
  expect((await stage.branch("trunk")).commit.sha).toBe((await stage.pull(one)).merge_commit_sha);
});

inBothWays("the queue of a deleted branch waits until the branch is created again", async (stage, gate) => {
  const at = { owner: "acme", repo: "widgets" };
  const { sha } = (await stage.branch("main")).commit;
  const { git } = stage.octokit("admin").rest;
  await git.createRef({ ...at, ref: "refs/heads/release", sha });
  const queue = { ...stage.queue, targetBranch: "release" };
  await stage.client.createQueue({ ...queue, requiredStatuses: ["build"] });
  const one = await stage.openPullRequest("one", undefined, { base: "release" });
  stage.sandbox.setCi(fullName, { lastStep: gate.lastStep });
  await stage.client.submitPullRequest({ ...queue, pr: { number: one } });
  await git.deleteRef({ ...at, ref: "heads/release" });
  await untilQueue(stage, "paused", "BRANCH_MISSING", queue);
  await git.createRef({ ...at, ref: "refs/heads/release", sha });
  await untilQueue(stage, "running", "OBSTACLE_GONE", queue);
  await stage.update(one, { state: "open" });
  gate.open();
  await stage.sandbox.settled();
  // Without webhooks, the queue may have missed the close, and may have merged it by now.
  await stage.client
    .submitPullRequest({ ...queue, pr: { number: one } })
    .catch((error: unknown) => expect(String(error)).toMatch(/#\d+ is merged/));
  await eventually(async () => ((await stage.pull(one)).merged ? true : null), "the merge");
});

inBothWays("a pull request under test is tested again when its branch is rewound", async (stage, gate) => {
  await stage.pushToMain({ "wrong.txt": "A mistake.\n" });
  const { commit } = await stage.branch("main");
  const one = await stage.openPullRequest("one");
  stage.sandbox.setCi(fullName, { lastStep: gate.lastStep });
  await submit(stage, one);
  await stage.until(one, "testing");
  const sha = commit.parents[0]?.sha ?? "";
  const ref = { owner: "acme", repo: "widgets", ref: "heads/main", sha, force: true };
  await stage.octokit("admin").rest.git.updateRef(ref);
  gate.open();
  await stage.until(one, "merged");
  const merge = (await stage.branch("main")).commit;
  expect(merge.parents.map((parent) => parent.sha)).toContain(sha);
});

inBothWays(
  "an installation without the permissions that merging needs pauses the queue and is named",
  async (stage) => {
    const directory = await mkdtemp(join(tmpdir(), "trainyard-manifest-"));
    const fewer = join(directory, "app.yml");
    await writeFile(fewer, (await readFile("app.yml", "utf8")).replace("contents: write", "contents: read"));
    const one = await stage.openPullRequest("one");
    stage.sandbox.updateApp(fewer);
    stage.sandbox.updateApp("app.yml", { accepted: false });
    await rm(directory, { recursive: true });
    // Earlier permissions stay valid as long as the token, so a restart is needed.
    await stage.stopService();
    await stage.startService();
    await submit(stage, one);
    await untilQueue(stage, "paused", "APP_PERMISSIONS_NOT_GRANTED");
    expect(await why(stage, one)).toMatch(/lacks contents: write; accept its new permissions at http/);
    await stage.sandbox.acceptPermissions("acme");
    await stage.until(one, "merged");
  },
);
