import { expect, test } from "@jest/globals";
import { branchWith, commitOn, openPull, passStatus, tipOf } from "./commit-on-branch.ts";
import { client, inSandbox, refusal, type Scene, target } from "./scene.ts";

/** For tests that must see a pull request before GitHub has done what it does in the background. */
const unhurried = { delays: { mergeability: 4_000, indirectMerge: 4_000 } };

const getPull = async (octokit: Scene["asAlice"], number: number) =>
  (await octokit.rest.pulls.get({ ...target, pull_number: number })).data;

const push = (octokit: Scene["asAlice"], branch: string, sha: string, force = false) =>
  octokit.rest.git.updateRef({ ...target, ref: `heads/${branch}`, sha, force });

test("mergeable is null until it is computed, and again after each push to the base", () =>
  inSandbox(
    async ({ sandbox, asAlice }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      expect(await getPull(asAlice, number)).toMatchObject({ mergeable: null, merge_commit_sha: null });
      await sandbox.settled();
      const known = await getPull(asAlice, number);
      expect(known).toMatchObject({ mergeable: true, rebaseable: true, mergeable_state: "clean" });
      const { data: testMerge } = await asAlice.rest.git.getCommit({
        ...target,
        commit_sha: known.merge_commit_sha ?? "",
      });
      expect(testMerge.parents.map(({ sha }) => sha)).toEqual([await tipOf(asAlice, "main"), known.head.sha]);

      await push(asAlice, "main", await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "2" }));
      expect(await getPull(asAlice, number)).toMatchObject({ mergeable: null, mergeable_state: "unknown" });
      await sandbox.settled();
      expect(await getPull(asAlice, number)).toMatchObject({ mergeable: false, mergeable_state: "dirty" });
    },
    unhurried,
    { ci: null },
  ));

test("mergeable_state distinguishes a draft, an unmet rule, and a failed check that is not required", () =>
  inSandbox(
    async ({ sandbox, asAlice }) => {
      const draft = await openPull(asAlice, "draft", { a: "1" }, { draft: true });
      const plain = await openPull(asAlice, "plain", { b: "1" });
      await sandbox.settled();
      const state = async (number: number) => (await getPull(asAlice, number)).mergeable_state;
      expect(await state(draft.number)).toBe("draft");
      expect(await state(plain.number)).toBe("blocked");
      await passStatus(asAlice, plain.sha, "one");
      expect(await state(plain.number)).toBe("clean");
      await asAlice.rest.repos.createCommitStatus({
        ...target,
        sha: plain.sha,
        context: "lint",
        state: "failure",
      });
      expect(await state(plain.number)).toBe("unstable");
    },
    {},
    { ci: null, protection: { requiredChecks: ["one"] } },
  ));

test("a pull request shows its size, its files, and its commits", () =>
  inSandbox(async ({ asAlice }) => {
    const { number, sha } = await openPull(asAlice, "feature", {
      "dir/a b.txt": "1\n2\n",
      "README.md": null,
    });
    expect(await getPull(asAlice, number)).toMatchObject({
      additions: 2,
      deletions: 1,
      changed_files: 2,
      commits: 1,
    });
    const { data: files } = await asAlice.rest.pulls.listFiles({ ...target, pull_number: number });
    expect(files.map(({ filename, status, patch }) => [filename, status, patch])).toEqual([
      ["README.md", "removed", "@@ -1 +0,0 @@\n-# Widgets"],
      ["dir/a b.txt", "added", "@@ -0,0 +1,2 @@\n+1\n+2"],
    ]);
    const { data: commits } = await asAlice.rest.pulls.listCommits({ ...target, pull_number: number });
    expect(commits.map((commit) => [commit.sha, commit.author?.login])).toEqual([[sha, "alice"]]);
    const { data: associated } = await asAlice.rest.repos.listPullRequestsAssociatedWithCommit({
      ...target,
      commit_sha: sha,
    });
    expect(associated.map((pull) => pull.number)).toEqual([number]);
  }));

test("a pull request that cannot be opened is refused with GitHub's message", () =>
  inSandbox(async ({ asAlice }) => {
    await openPull(asAlice, "feature", { a: "1" });
    const create = async (head: string, base: string) => {
      try {
        await asAlice.rest.pulls.create({ ...target, title: "x", head, base });
      } catch (error) {
        const { status, response } = error as { status: number; response: { data: { errors: object[] } } };
        return { status, ...response.data.errors[0] };
      }
      throw new Error("created");
    };
    expect(await create("feature", "main")).toMatchObject({
      status: 422,
      message: "A pull request already exists for acme:feature.",
    });
    expect(await create("acme:main", "main")).toMatchObject({ message: "No commits between main and main" });
    expect(await create("nowhere", "main")).toMatchObject({ field: "head", code: "invalid" });
    expect(await create("feature", "nowhere")).toMatchObject({ field: "base", code: "invalid" });
  }));

test("lists of pull requests are filtered by state, base, and head, and sorted", () =>
  inSandbox(async ({ asAlice }) => {
    for (const branch of ["a", "b", "c"]) await openPull(asAlice, branch, { [branch]: "1" });
    await asAlice.rest.pulls.update({ ...target, pull_number: 2, state: "closed" });
    const numbers = async (query: object) =>
      (await asAlice.rest.pulls.list({ ...target, ...query })).data.map(({ number }) => number);
    expect(await numbers({})).toEqual([3, 1]);
    expect(await numbers({ state: "closed" })).toEqual([2]);
    expect(await numbers({ state: "all", direction: "asc" })).toEqual([1, 2, 3]);
    expect(await numbers({ head: "acme:c" })).toEqual([3]);
    expect(await numbers({ base: "other" })).toEqual([]);
  }));

test("a push to the head branch moves the pull request, and a push to another does not", () =>
  inSandbox(async ({ sandbox, asAlice }) => {
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const baseThen = (await getPull(asAlice, number)).base.sha;
    const mainNow = await commitOn(asAlice, await tipOf(asAlice, "main"), { z: "1" });
    await push(asAlice, "main", mainNow);
    expect(await getPull(asAlice, number)).toMatchObject({ head: { sha }, base: { sha: baseThen } });
    const next = await commitOn(asAlice, sha, { b: "1" });
    await push(asAlice, "feature", next);
    expect(await getPull(asAlice, number)).toMatchObject({
      head: { sha: next },
      base: { sha: mainNow },
      mergeable: null,
    });
    await sandbox.settled();
    const { data: ref } = await asAlice.rest.git.getRef({ ...target, ref: `pull/${number}/head` });
    expect(ref.object.sha).toBe(next);
  }, unhurried));

test("a pull request can be closed, reopened, and edited by permitted users", () =>
  inSandbox(async ({ asAlice, asCarol, asAdmin }) => {
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const update = (octokit: Scene["asAlice"], changes: object) =>
      octokit.rest.pulls.update({ ...target, pull_number: number, ...changes });
    expect(await refusal(update(asCarol, { title: "Mine" }))).toMatchObject({ status: 403 });
    await update(asAdmin, { title: "Better", body: "Reworded" });
    expect(await getPull(asAlice, number)).toMatchObject({ title: "Better", body: "Reworded" });
    expect((await update(asAlice, { state: "closed" })).data).toMatchObject({
      state: "closed",
      merged: false,
    });
    expect((await update(asAlice, { state: "open" })).data).toMatchObject({ state: "open", closed_at: null });
    await update(asAlice, { state: "closed" });
    await push(asAlice, "feature", await commitOn(asAlice, await tipOf(asAlice, "main"), { c: "1" }), true);
    expect(await getPull(asAlice, number)).toMatchObject({ head: { sha } });
    expect(await refusal(update(asAlice, { state: "open" }))).toMatchObject({ status: 422 });
  }));

test("a pull request can change between draft and ready, and to another base", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" }, { draft: true });
    await branchWith(asAlice, "release", { r: "1" });
    const update = (changes: object) =>
      asAlice.rest.pulls.update({ ...target, pull_number: number, ...changes });
    expect((await update({ draft: false })).data.draft).toBe(false);
    expect((await update({ draft: true })).data.draft).toBe(true);
    await sandbox.settled();
    expect((await update({ base: "release" })).data).toMatchObject({
      base: { ref: "release" },
      mergeable: null,
    });
    expect(await refusal(update({ base: "nowhere" }))).toMatchObject({ status: 422 });
  }));

test("labels can be added and removed, with a history of who did it", () =>
  inSandbox(async ({ asAlice, asAdmin, asCarol }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const issue = { ...target, issue_number: number };
    expect(await refusal(asCarol.rest.issues.addLabels({ ...issue, labels: ["merge"] }))).toMatchObject({
      status: 403,
    });
    await asAlice.rest.issues.addLabels({ ...issue, labels: ["merge", "urgent"] });
    await asAlice.rest.issues.addLabels({ ...issue, labels: ["Merge"] });
    const { data: labels } = await asAlice.rest.issues.listLabelsOnIssue(issue);
    expect(labels.map(({ name }) => name)).toEqual(["merge", "urgent"]);
    const { data: left } = await asAdmin.rest.issues.removeLabel({ ...issue, name: "merge" });
    expect(left.map(({ name }) => name)).toEqual(["urgent"]);
    expect(await refusal(asAdmin.rest.issues.removeLabel({ ...issue, name: "merge" }))).toEqual({
      status: 404,
      message: "Label does not exist",
    });
    const { data: events } = await asAlice.rest.issues.listEvents(issue);
    const told = events.map((event) => [
      event.event,
      event.actor?.login,
      "label" in event && event.label?.name,
    ]);
    expect(told).toEqual([
      ["labeled", "alice", "merge"],
      ["labeled", "alice", "urgent"],
      ["unlabeled", "admin", "merge"],
    ]);
  }));

test("a push by any user that contains a pull request's head merges it a little later", () =>
  inSandbox(async ({ sandbox, asAlice, asAdmin }) => {
    const one = await openPull(asAlice, "one", { a: "1" });
    const two = await openPull(asAlice, "two", { b: "1" });
    const unrelated = await openPull(asAlice, "three", { c: "1" });
    await asAlice.rest.git.createRef({
      ...target,
      ref: "refs/heads/scratch",
      sha: await tipOf(asAlice, "main"),
    });
    const { data: first } = await asAlice.rest.repos.merge({ ...target, base: "scratch", head: one.sha });
    const { data: second } = await asAlice.rest.repos.merge({ ...target, base: "scratch", head: two.sha });
    await push(asAdmin, "main", second.sha);
    expect(await getPull(asAlice, one.number)).toMatchObject({ state: "open", merged: false });
    await sandbox.settled();
    const merged = { state: "closed", merged: true, merged_by: { login: "admin" }, mergeable: null };
    expect(await getPull(asAlice, one.number)).toMatchObject({ ...merged, merge_commit_sha: first.sha });
    expect(await getPull(asAlice, two.number)).toMatchObject({ ...merged, merge_commit_sha: second.sha });
    expect(await getPull(asAlice, unrelated.number)).toMatchObject({ state: "open" });
    const ask = (number: number) => asAlice.rest.pulls.checkIfMerged({ ...target, pull_number: number });
    expect((await ask(one.number)).status).toBe(204);
    expect(await refusal(ask(unrelated.number).then())).toMatchObject({ status: 404 });
  }, unhurried));

test("the deletion of a head branch closes its pull request, unless the base already has its commits", () =>
  inSandbox(async ({ sandbox, asAlice }) => {
    const gone = await openPull(asAlice, "gone", { a: "1" });
    const done = await openPull(asAlice, "done", { b: "1" });
    await asAlice.rest.git.deleteRef({ ...target, ref: "heads/gone" });
    expect(await getPull(asAlice, gone.number)).toMatchObject({ state: "closed", merged: false });
    const reopen = asAlice.rest.pulls.update({ ...target, pull_number: gone.number, state: "open" });
    expect(await refusal(reopen)).toMatchObject({ status: 422 });
    await push(asAlice, "main", done.sha);
    await asAlice.rest.git.deleteRef({ ...target, ref: "heads/done" });
    await sandbox.settled();
    expect(await getPull(asAlice, done.number)).toMatchObject({ state: "closed", merged: true });
  }));

test("the deletion of a base branch, or a head with nothing left to merge, closes the pull request", () =>
  inSandbox(async ({ asAlice }) => {
    await branchWith(asAlice, "release", { r: "1" });
    const orphan = await openPull(asAlice, "orphan", { a: "1" }, { base: "release" });
    await asAlice.rest.git.deleteRef({ ...target, ref: "heads/release" });
    expect(await getPull(asAlice, orphan.number)).toMatchObject({ state: "closed", merged: false });
    const emptied = await openPull(asAlice, "emptied", { b: "1" });
    await push(asAlice, "emptied", await tipOf(asAlice, "main"), true);
    expect(await getPull(asAlice, emptied.number)).toMatchObject({ state: "closed", merged: false });
  }));

test("a pull request by a member is marked as such, and a stranger does not find it", () =>
  inSandbox(async ({ sandbox, asAlice }) => {
    const bea = sandbox.createUser({ login: "bea" });
    await sandbox.createRepository({
      owner: "acme",
      name: "gadgets",
      files: { a: "1" },
      collaborators: { bea: "write" },
    });
    const asBea = client(sandbox, bea.token);
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    expect((await getPull(asAlice, number)).author_association).toBe("MEMBER");
    expect(await refusal(getPull(asBea, number))).toMatchObject({ status: 404 });
  }));
