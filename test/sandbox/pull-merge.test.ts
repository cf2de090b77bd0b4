import { expect, test } from "@jest/globals";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { runGit } from "./git-client.ts";
import { inSandbox, refusal, type Scene, target } from "./scene.ts";

const merge = (octokit: Scene["asAlice"], number: number, options: object = {}) =>
  octokit.rest.pulls.merge({ ...target, pull_number: number, ...options });

const mergedTree = async ({ repository }: Scene, base: string, head: string) =>
  (await runGit(repository.directory, "merge-tree", "--write-tree", base, head)).split("\n")[0];

const commit = async (octokit: Scene["asAlice"], sha: string) =>
  (await octokit.rest.git.getCommit({ ...target, commit_sha: sha })).data;

/** A pull request of two commits, and a base that has moved since. */
async function divergedPull({ asAlice }: Scene) {
  const { number, sha } = await openPull(
    asAlice,
    "feature",
    { a: "1" },
    { title: "Feature", message: "First\n\nWhy" },
  );
  const head = await commitOn(asAlice, sha, { b: "1" }, "Second");
  await asAlice.rest.git.updateRef({ ...target, ref: "heads/feature", sha: head });
  const base = await commitOn(asAlice, await tipOf(asAlice, "main"), { c: "1" });
  await asAlice.rest.git.updateRef({ ...target, ref: "heads/main", sha: base });
  return { number, head, base };
}

test("a merge creates a merge commit with git's own tree", () =>
  inSandbox(async (scene) => {
    const { number, head, base } = await divergedPull(scene);
    const { data } = await merge(scene.asAdmin, number, { sha: head });
    expect(data).toMatchObject({ merged: true, message: "Pull Request successfully merged" });
    const made = await commit(scene.asAlice, data.sha);
    expect(made.parents.map(({ sha }) => sha)).toEqual([base, head]);
    expect(made.tree.sha).toBe(await mergedTree(scene, base, head));
    expect(made.message).toBe(`Merge pull request #${number} from acme/feature\n\nFeature`);
    expect([made.author.name, made.committer.name]).toEqual(["admin", "GitHub"]);
    expect(await tipOf(scene.asAlice, "main")).toBe(data.sha);
    const { data: pull } = await scene.asAlice.rest.pulls.get({ ...target, pull_number: number });
    expect(pull).toMatchObject({ merged: true, merge_commit_sha: data.sha, merged_by: { login: "admin" } });
    expect(await refusal(merge(scene.asAdmin, number))).toEqual({
      status: 405,
      message: "Pull Request is not mergeable",
    });
  }));

test("a squash creates one commit with the merge's tree", () =>
  inSandbox(async (scene) => {
    const { number, head, base } = await divergedPull(scene);
    const { data } = await merge(scene.asAdmin, number, { merge_method: "squash" });
    const made = await commit(scene.asAlice, data.sha);
    expect(made.parents.map(({ sha }) => sha)).toEqual([base]);
    expect(made.tree.sha).toBe(await mergedTree(scene, base, head));
    expect(made.message).toBe(`Feature (#${number})\n\n* First\n\nWhy\n\n* Second`);
    expect(made.author.name).toBe("alice");
    const { data: pull } = await scene.asAlice.rest.pulls.get({ ...target, pull_number: number });
    expect(pull).toMatchObject({ merged: true, merge_commit_sha: data.sha });
  }));

test("a rebase replays each commit and keeps its author and message", () =>
  inSandbox(async (scene) => {
    const { number, head, base } = await divergedPull(scene);
    const { data } = await merge(scene.asAdmin, number, { merge_method: "rebase" });
    const last = await commit(scene.asAlice, data.sha);
    const first = await commit(scene.asAlice, last.parents[0]?.sha ?? "");
    expect(first.parents.map(({ sha }) => sha)).toEqual([base]);
    expect([first.message, last.message]).toEqual(["First\n\nWhy", "Second"]);
    expect([last.author.name, last.committer.name]).toEqual(["alice", "admin"]);
    expect(last.tree.sha).toBe(await mergedTree(scene, base, head));
  }));

test("a merge uses the caller's title and message, and a squash of one commit uses that commit's", () =>
  inSandbox(async ({ asAlice }) => {
    const one = await openPull(asAlice, "one", { a: "1" }, { message: "Only\n\nBecause" });
    const two = await openPull(asAlice, "two", { b: "1" });
    const squashed = await merge(asAlice, one.number, { merge_method: "squash" });
    expect((await commit(asAlice, squashed.data.sha)).message).toBe("Only (#1)\n\nBecause");
    const named = await merge(asAlice, two.number, { commit_title: "Title", commit_message: "Message" });
    expect((await commit(asAlice, named.data.sha)).message).toBe("Title\n\nMessage");
  }));

test("a squash names the other authors of its commits as co-authors", () =>
  inSandbox(async ({ asAlice, asAdmin }) => {
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" }, { message: "First" });
    const next = await commitOn(asAdmin, sha, { b: "1" }, "Second");
    await asAlice.rest.git.updateRef({ ...target, ref: "heads/feature", sha: next });
    const { data } = await merge(asAlice, number, { merge_method: "squash" });
    expect((await commit(asAlice, data.sha)).message).toMatch(
      /\n\n\* First\n\n\* Second\n\n---------\n\nCo-authored-by: admin <\d+\+admin@users\.noreply\.github\.com>$/,
    );
  }));

test("a merge of a head other than the caller's is 409", () =>
  inSandbox(async ({ asAlice }) => {
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    await asAlice.rest.git.updateRef({
      ...target,
      ref: "heads/feature",
      sha: await commitOn(asAlice, sha, { b: "1" }),
    });
    expect(await refusal(merge(asAlice, number, { sha }))).toEqual({
      status: 409,
      message: "Head branch was modified. Review and try the merge again.",
    });
  }));

test("a merge of a conflict, a draft or a closed pull request, or by a method that is off, is 405", () =>
  inSandbox(
    async ({ asAlice }) => {
      const conflicting = await openPull(asAlice, "conflicting", { "README.md": "Mine\n" });
      const draft = await openPull(asAlice, "draft", { a: "1" }, { draft: true });
      const base = await commitOn(asAlice, await tipOf(asAlice, "main"), { "README.md": "Theirs\n" });
      await asAlice.rest.git.updateRef({ ...target, ref: "heads/main", sha: base });
      const message = async (number: number, options: object = {}) => {
        const { status, message } = await refusal(merge(asAlice, number, options));
        return `${status} ${message}`;
      };
      expect(await message(conflicting.number)).toBe("405 Pull Request is not mergeable");
      expect(await message(conflicting.number, { merge_method: "rebase" })).toBe(
        "405 This branch can't be rebased",
      );
      expect(await message(draft.number)).toBe("405 Pull Request is still a draft");
      await asAlice.rest.pulls.update({ ...target, pull_number: draft.number, draft: false });
      expect(await message(draft.number, { merge_method: "squash" })).toBe(
        "405 Squash merges are not allowed on this repository.",
      );
      await asAlice.rest.pulls.update({ ...target, pull_number: draft.number, state: "closed" });
      expect(await message(draft.number)).toBe("405 Pull Request is not mergeable");
    },
    {},
    { mergeMethods: ["merge", "rebase"] },
  ));

test("a merge is 405 until the required checks have passed on the head", () =>
  inSandbox(
    async ({ asAlice, asInstallation }) => {
      const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
      expect(await refusal(merge(asAlice, number))).toEqual({
        status: 405,
        message: 'Required status check "build" is expected.',
      });
      await asInstallation.rest.checks.create({
        ...target,
        name: "build",
        head_sha: sha,
        conclusion: "success",
      });
      expect((await merge(asAlice, number)).status).toBe(200);
    },
    {},
    { ci: null, protection: { requiredChecks: ["build"] } },
  ));

test("of two merges into one base at the same time, one may fail because the base was modified", () =>
  inSandbox(async ({ asAlice, asAdmin }) => {
    const one = await openPull(asAlice, "one", { a: "1" });
    const two = await openPull(asAlice, "two", { b: "1" });
    const outcomes = await Promise.allSettled([merge(asAlice, one.number), merge(asAdmin, two.number)]);
    const failures = outcomes.filter(({ status }) => status === "rejected");
    expect(outcomes.map(({ status }) => status)).toContain("fulfilled");
    for (const { reason } of failures as PromiseRejectedResult[]) {
      expect(reason.status).toBe(405);
      expect(reason.response.data.message).toBe("Base branch was modified. Review and try the merge again.");
    }
    const { data: commits } = await asAlice.rest.repos.compareCommitsWithBasehead({
      ...target,
      basehead: `${one.sha}...main`,
    });
    expect(commits.status).not.toBe("identical");
  }));
