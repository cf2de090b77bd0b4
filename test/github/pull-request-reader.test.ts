import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import type { PullRequestFacts } from "../../src/engine/model/pull-request-facts.ts";
import { ProtectionReader } from "../../src/github/access/protection.ts";
import { StatusApps } from "../../src/github/checks/status-apps.ts";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import { UnexplainedBlocks } from "../../src/github/merging/unexplained-blocks.ts";
import { readPullRequest, withBlockers } from "../../src/github/pull-requests/pull-request.ts";
import { PullRequestReader } from "../../src/github/pull-requests/pull-request-reader.ts";
import { branchWith, commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { Fork } from "../sandbox/fork.ts";
import { client, inSandbox, requiredChecks, type Scene, target } from "../sandbox/scene.ts";

const absent = 999;

function newReader() {
  return new PullRequestReader(new ProtectionReader(), new StatusApps(), new NodeIds());
}

const readAll = (app: Octokit, numbers: readonly number[]) => {
  const reader = newReader();
  return Promise.all(numbers.map((number) => reader.read(app, target, number)));
};

/** Reads pull requests one by one by REST, as when GraphQL is refused. */
const readEach = async (app: Octokit, numbers: readonly number[]) => {
  const read: (PullRequestFacts | null)[] = [];
  for (const number of numbers) {
    const pull = await readPullRequest(app, target, number);
    read.push(
      pull &&
        (await withBlockers(
          app,
          target,
          new ProtectionReader(),
          new StatusApps(),
          new UnexplainedBlocks(),
          pull,
        )),
    );
  }
  return read;
};

const counts = ({ sandbox }: Scene) => sandbox.requests.countByOperation();

/** One pull request of each kind: mergeable, draft, conflicting, closed, merged, a bot's, from a fork, and an absent one. */
async function oneOfEachKind({ asAlice, asAdmin, asInstallation: app, sandbox }: Scene): Promise<number[]> {
  const numbers: number[] = [];
  const open = async (branch: string, options: Parameters<typeof openPull>[3] = {}) => {
    const { number } = await openPull(asAlice, branch, { [branch]: "1" }, options);
    numbers.push(number);
    return number;
  };
  await open("mergeable", { title: 'A title with "quotes" and \\ and é' });
  await open("draft", { draft: true });
  numbers.push((await openPull(asAlice, "conflicting", { "README.md": "Mine.\n" })).number);
  const closed = await open("closed");
  await asAlice.rest.pulls.update({ ...target, pull_number: closed, state: "closed" });
  const merged = await open("merged");
  await sandbox.settled();
  await asAlice.rest.pulls.merge({ ...target, pull_number: merged, merge_method: "squash" });
  await branchWith(app, "by-a-bot", { bot: "1" });
  const byBot = { ...target, head: "by-a-bot", base: "main", title: "By a bot" };
  numbers.push((await app.rest.pulls.create(byBot)).data.number);
  const mallory = sandbox.createUser({ login: "mallory", permission: "read" });
  const fork = await Fork.of(sandbox, "mallory", client(sandbox, mallory.token));
  numbers.push((await fork.openPull("from-a-fork")).pull.number);
  const theirs = await commitOn(asAdmin, await tipOf(asAdmin, "main"), { "README.md": "Theirs.\n" });
  await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha: theirs });
  return [...numbers, absent];
}

test("pull requests of every kind have the same facts when they are read together and one by one", () =>
  inSandbox(
    async (scene) => {
      const { asInstallation: app, sandbox } = scene;
      const numbers = await oneOfEachKind(scene);
      // The first read makes GitHub compute the mergeability.
      await readAll(app, numbers);
      await sandbox.settled();
      const each = await readEach(app, numbers);
      expect(await readAll(app, numbers)).toEqual(each);
      const seen = each.map((facts) => facts && `${facts.state} ${facts.mergeability} by ${facts.author}`);
      expect(seen).toEqual([
        "open mergeable by alice",
        "open mergeable by alice",
        "open not_mergeable by alice",
        "closed unspecified by alice",
        "merged unspecified by alice",
        "open mergeable by trainyard[bot]",
        "open mergeable by mallory",
        null,
      ]);
    },
    {},
    { ci: null },
  ));

test("a pull request that a rule blocks has the same blockers when it is read together and by itself", () =>
  inSandbox(
    async ({ asAlice, asInstallation: app, sandbox }) => {
      const { number } = await openPull(asAlice, "one", { one: "1" });
      await sandbox.settled();
      const [together] = await readAll(app, [number, absent]);
      expect(together).toMatchObject({
        mergeability: "not_mergeable",
        blockers: ["build", "test"].map((name) => `required check "${name}" has not reported on its head`),
      });
      expect(await readEach(app, [number])).toEqual([together]);
    },
    {},
    { ci: null, protection: { requiredChecks } },
  ));

test("pull requests that are read at the same time cost one GraphQL call and no REST call", () =>
  inSandbox(async (scene) => {
    const { asAlice, asInstallation: app, sandbox } = scene;
    const numbers: number[] = [];
    for (const branch of ["one", "two", "three"])
      numbers.push((await openPull(asAlice, branch, { [branch]: "1" })).number);
    await sandbox.settled();
    await readAll(app, [1]);
    sandbox.requests.clear();
    const twice = await readAll(app, [...numbers, ...numbers]);
    expect(twice.map((facts) => facts?.number)).toEqual([...numbers, ...numbers]);
    expect(counts(scene)).toEqual({ "graphql/repository": 1 });
  }));

test("pull requests are read one by one when GraphQL does not answer", () =>
  inSandbox(async (scene) => {
    const { asAlice, asInstallation: app, sandbox } = scene;
    const { number } = await openPull(asAlice, "one", { one: "1" });
    await sandbox.settled();
    app.hook.wrap("request", async (request, options) => {
      const answer = await request(options);
      if (options.url.endsWith("/graphql"))
        answer.data = {
          errors: [{ message: "Field 'mergeStateStatus' doesn't exist on type 'PullRequest'" }],
        };
      return answer;
    });
    const reader = newReader();
    expect((await reader.read(app, target, number))?.mergeability).toBe("mergeable");
    // One way of reading is not enough to conclude that it does not exist.
    await expect(reader.read(app, target, absent)).rejects.toMatchObject({ kind: "not_found" });
  }));

test("a read that starts during a call waits for the next call, so that its answer is not older than the read", () =>
  inSandbox(async (scene) => {
    const { asAlice, asInstallation: app, sandbox } = scene;
    const { number } = await openPull(asAlice, "one", { one: "1" });
    await sandbox.settled();
    const reader = newReader();
    const answered = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let first = true;
    app.hook.wrap("request", async (request, options) => {
      const answer = await request(options);
      if (first && options.url.endsWith("/graphql")) {
        first = false;
        answered.resolve();
        await held.promise;
      }
      return answer;
    });
    const before = reader.read(app, target, number);
    await answered.promise;
    const late = reader.read(app, target, number);
    await asAlice.rest.pulls.update({ ...target, pull_number: number, title: "Renamed since" });
    held.resolve();
    expect([(await before)?.title, (await late)?.title]).toEqual(["Add one", "Renamed since"]);
  }));

test("a failed call fails every read that shared it, and no later read", () =>
  inSandbox(async (scene) => {
    const { asAlice, asInstallation: app, sandbox } = scene;
    for (const branch of ["one", "two"]) await openPull(asAlice, branch, { [branch]: "1" });
    await sandbox.settled();
    const reader = newReader();
    let isDown = true;
    app.hook.wrap("request", async (request, options) => {
      if (isDown) throw new Error("no way to GitHub");
      return request(options);
    });
    const reads = await Promise.allSettled([1, 2].map((number) => reader.read(app, target, number)));
    expect(reads.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isDown = false;
    expect((await reader.read(app, target, 2))?.number).toBe(2);
  }));

test("objections by reviewers and open conversations are read, and requested changes also by REST", () =>
  inSandbox(
    async ({ asAlice, asAdmin, asCarol, asInstallation: app }) => {
      const { number } = await openPull(asAlice, "one", { one: "1" });
      const pull = { ...target, pull_number: number };
      const objections = async () => (await readAll(app, [number]))[0]?.objections;
      expect(await objections()).toEqual([{ code: "REVIEW_REQUIRED" }]);
      const comments = Array.from({ length: 101 }, (_, line) => ({
        path: "one",
        line: line + 1,
        body: "Why?",
      }));
      await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE", comments });
      expect(await objections()).toEqual([{ code: "CONVERSATIONS_OPEN", count: 101 }]);
      await asAdmin.rest.pulls.createReview({ ...pull, event: "REQUEST_CHANGES", body: "No." });
      await asCarol.rest.pulls.createReview({ ...pull, event: "APPROVE" });
      const changes = { code: "CHANGES_REQUESTED", by: ["admin"] };
      expect(await objections()).toEqual([changes, { code: "CONVERSATIONS_OPEN", count: 101 }]);
      expect((await readEach(app, [number]))[0]?.objections).toEqual([changes]);
    },
    {},
    { ci: null, protection: { requiredReviews: 1, conversationResolution: true } },
  ));

test("an unexplained block is reported only once it has lasted, because GitHub's state lags behind the checks", () =>
  inSandbox(
    async ({ asAlice, asInstallation: app, sandbox }) => {
      const { number } = await openPull(asAlice, "one", { one: "1" });
      await sandbox.settled();
      let state = "blocked";
      app.hook.wrap("request", async (request, options) => {
        const answer = await request(options);
        if (options.url.endsWith("/graphql")) answer.data = { errors: [{ message: "not now" }] };
        if (options.url.endsWith("/pulls/{pull_number}"))
          Object.assign(answer.data, { mergeable_state: state });
        return answer;
      });
      let now = 0;
      const blocks = new UnexplainedBlocks(() => now);
      const reader = new PullRequestReader(new ProtectionReader(), new StatusApps(), new NodeIds(), blocks);
      const read = () => reader.read(app, target, number);
      await read();
      await sandbox.settled();
      expect(await read()).toMatchObject({ mergeability: "in_progress", blockers: [] });
      state = "clean";
      now += 1_000;
      expect(await read()).toMatchObject({ mergeability: "mergeable", blockers: [] });
      state = "blocked";
      now += 10_000;
      expect(await read()).toMatchObject({ mergeability: "in_progress", blockers: [] });
      now += 2_500;
      expect(await read()).toMatchObject({
        mergeability: "not_mergeable",
        blockers: ["the branch's rules demand more, such as a review"],
      });
    },
    {},
    { ci: null },
  ));
