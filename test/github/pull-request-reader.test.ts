import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import type { PullRequestFacts } from "../../src/engine/model/entry.ts";
import { renderObjection } from "../../src/engine/reasons/objection.ts";
import { ProtectionReader } from "../../src/github/access/protection.ts";
import { StatusApps } from "../../src/github/checks/statuses.ts";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import {
  listOpenPullRequests,
  readPullRequest,
  withBlockers,
} from "../../src/github/pull-requests/pull-request.ts";
import { PullRequestReader } from "../../src/github/pull-requests/pull-request-reader.ts";
import type { RuleOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { branchWith, commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { Fork } from "../sandbox/fork.ts";
import { apiOf, client, inSandbox, requiredChecks, type Scene, target } from "../sandbox/scene.ts";

const absent = 999;

type PullRequestRule = Extract<RuleOptions, { type: "pull_request" }>;

function newReader() {
  return new PullRequestReader(new ProtectionReader(), new StatusApps(), new NodeIds());
}

const readAll = (app: Octokit, numbers: readonly number[]) => {
  const reader = newReader();
  return Promise.all(numbers.map((number) => reader.read(apiOf(app), number)));
};

/** Reads pull requests one by one by REST, as when GraphQL is refused. */
const readEach = async (app: Octokit, numbers: readonly number[]) => {
  const read: (PullRequestFacts | null)[] = [];
  for (const number of numbers) {
    const pull = await readPullRequest(apiOf(app), number);
    read.push(pull && (await withBlockers(apiOf(app), new ProtectionReader(), new StatusApps(), pull)));
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
      const all = await readAll(app, numbers);
      expect(all.map((facts) => facts && { ...facts, mergedTree: undefined })).toEqual(each);
      // REST names the merge alone.
      const commit_sha = each.find((facts) => facts?.mergedSha)?.mergedSha ?? "";
      const { data: merge } = await app.rest.git.getCommit({ ...target, commit_sha });
      expect(all.flatMap((facts) => facts?.mergedTree ?? [])).toEqual([merge.tree.sha]);
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
    expect((await reader.read(apiOf(app), number))?.mergeability).toBe("mergeable");
    // One way of reading is not enough to conclude that it does not exist.
    await expect(reader.read(apiOf(app), absent)).rejects.toMatchObject({ kind: "not_found" });
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
    const before = reader.read(apiOf(app), number);
    await answered.promise;
    const late = reader.read(apiOf(app), number);
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
    const reads = await Promise.allSettled([1, 2].map((number) => reader.read(apiOf(app), number)));
    expect(reads.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isDown = false;
    expect((await reader.read(apiOf(app), 2))?.number).toBe(2);
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

test("while GraphQL refuses, approvals are counted by REST, and what REST does not show is unknown only if a rule demands it", () =>
  inSandbox(
    async ({ sandbox, asAlice, asCarol, asInstallation: app }) => {
      const { number } = await openPull(asAlice, "one", { one: "1" });
      const pull = { ...target, pull_number: number };
      const [bob, dan] = ["bob", "dan"].map((login) =>
        client(sandbox, sandbox.createUser({ login, permission: "write" }).token),
      );
      const says = (who: Octokit | undefined, event: "APPROVE" | "REQUEST_CHANGES") =>
        who?.rest.pulls.createReview({ ...pull, event, body: "Hm." });
      await says(bob, "APPROVE");
      await says(asCarol, "APPROVE");
      await sandbox.settled();
      sandbox.faults.next({ operation: "graphql/repository", kind: "query_errors", lastsMs: 600_000 });
      const objectionsUnder = async (...rules: Partial<PullRequestRule>[]) => {
        const list = rules.map((rule) => ({ type: "pull_request", ...rule }) as const);
        sandbox.setRulesets("acme", [{ include: ["~ALL"], rules: ["deletion", ...list] }]);
        return ((await readAll(app, [number]))[0]?.objections ?? []).map(({ code }) => code);
      };
      expect(await objectionsUnder()).toEqual([]);
      expect(await objectionsUnder({ required_approving_review_count: 0 })).toEqual([]);
      expect(await objectionsUnder({ required_approving_review_count: 1 })).toEqual([]);
      const two = { required_approving_review_count: 2 };
      // Carol may not write, so that her approval does not count.
      expect(await objectionsUnder({}, two)).toEqual(["REVIEW_REQUIRED"]);
      expect(await objectionsUnder(two, { require_code_owner_review: true })).toEqual(["REVIEW_REQUIRED"]);
      for (const name of [
        "require_code_owner_review",
        "require_last_push_approval",
        "required_review_thread_resolution",
      ])
        expect(await objectionsUnder({ required_approving_review_count: 1 }, { [name]: true })).toEqual([
          "REVIEW_UNKNOWN",
        ]);
      await says(dan, "REQUEST_CHANGES");
      expect(await objectionsUnder(two)).toEqual(["CHANGES_REQUESTED"]);
      expect(await objectionsUnder()).toEqual([]);
    },
    {},
    { ci: null },
  ));

test("while GraphQL refuses, it is unknown what a protected branch demands, unless GraphQL tells at least the decision", () =>
  inSandbox(
    async ({ sandbox, asAlice, asAdmin, asInstallation: app }) => {
      const { number } = await openPull(asAlice, "one", { one: "1" });
      await sandbox.settled();
      const operation = "graphql/repository";
      const objections = async (count: number, variant: string) => {
        sandbox.faults.next({ operation, kind: "query_errors", variant, count });
        return ((await readAll(app, [number]))[0]?.objections ?? []).map(({ code }) => code);
      };
      expect(await objections(2, "went_wrong")).toEqual(["REVIEW_UNKNOWN"]);
      expect(await objections(1, "unknown_field")).toEqual(["REVIEW_REQUIRED"]);
      // A decision that is null with an error is not "no review is required".
      expect(await objections(1, "part")).toEqual(["REVIEW_REQUIRED"]);
      await asAdmin.rest.pulls.createReview({ ...target, pull_number: number, event: "APPROVE" });
      expect(await objections(1, "unknown_field")).toEqual([]);
    },
    {},
    { ci: null, protection: { requiredReviews: 1 } },
  ));

test("a decision of reviewers that we do not know holds only its own pull request, and is named", () =>
  inSandbox(
    async ({ asAlice, asAdmin, asInstallation: app }) => {
      const numbers: number[] = [];
      for (const name of ["one", "two"])
        numbers.push((await openPull(asAlice, name, { [name]: "1" })).number);
      for (const pull_number of numbers)
        await asAdmin.rest.pulls.createReview({ ...target, pull_number, event: "APPROVE" });
      const [strange = 0] = numbers;
      app.hook.after("request", ({ data }) => {
        const found = data?.data?.repository;
        const pull = found?.[`p${strange}`] ?? found?.pullRequest;
        if (pull) pull.reviewDecision = "AUDIT_REQUIRED";
      });
      const decision = { code: "REVIEW_REQUIRED", decision: "AUDIT_REQUIRED" } as const;
      const read = (await readAll(app, numbers)).map((pull) => pull?.objections);
      expect(read).toEqual([[decision], []]);
      expect((await readEach(app, [strange]))[0]?.objections).toEqual([decision]);
      expect(renderObjection(decision)).toMatch(/"AUDIT_REQUIRED", which this version/);
    },
    {},
    { ci: null, protection: { requiredReviews: 1 } },
  ));

test("a state or a mergeability that we do not know holds only its own pull request", () =>
  inSandbox(
    async ({ asAlice, asInstallation: app, sandbox }) => {
      const numbers: number[] = [];
      for (const name of ["one", "two", "three", "four"])
        numbers.push((await openPull(asAlice, name, { [name]: "1" })).number);
      const [one = 0, two = 0, , four = 0] = numbers;
      await asAlice.rest.pulls.update({ ...target, pull_number: four, body: `Depends-On: #${one}` });
      await readAll(app, numbers);
      await sandbox.settled();
      app.hook.after("request", ({ data }) => {
        const found = data?.data?.repository ?? {};
        if (found[`p${one}`]) found[`p${one}`].state = "LOCKED";
        if (found[`p${two}`]) found[`p${two}`].mergeable = "MAYBE";
      });
      const state = { code: "STATE_UNKNOWN", state: "LOCKED" } as const;
      const read = await readAll(app, numbers);
      expect(read.map((pull) => [pull?.state, pull?.mergeability, pull?.objections])).toEqual([
        ["open", "mergeable", [state]],
        ["open", "in_progress", []],
        ["open", "mergeable", []],
        ["open", "mergeable", [expect.objectContaining({ code: "DEPENDS_ON", open: [one] })]],
      ]);
      expect(renderObjection(state)).toMatch(/"LOCKED", which this version/);
    },
    {},
    { ci: null },
  ));

test("auto-merge that an account enabled which is deleted now is still enabled", () =>
  inSandbox(async ({ asAlice, asInstallation: app }) => {
    await openPull(asAlice, "one", { one: "1" });
    app.hook.after("request", ({ data }) => {
      if (Array.isArray(data)) for (const pull of data) pull.auto_merge = { enabled_by: null };
    });
    expect(await listOpenPullRequests(apiOf(app), "main")).toMatchObject([
      { autoMergeBy: { login: "ghost", isBot: false } },
    ]);
  }));
