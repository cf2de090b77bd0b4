import { expect, test } from "@jest/globals";
import { branchWith, commitOn, tipOf } from "./commit-on-branch.ts";
import { inSandbox, refusal, target } from "./scene.ts";

const NOWHERE = "f".repeat(40);

test("a branch is merged into another only once, and conflicts are 409", () =>
  inSandbox(async ({ asInstallation: app, sandbox }) => {
    const head = await branchWith(app, "feature", { a: "1" });
    await branchWith(app, "rival", { a: "2" });
    await app.rest.git.createRef({ ...target, ref: "refs/heads/scratch", sha: await tipOf(app, "main") });
    const merge = (base: string, from: string) => app.rest.repos.merge({ ...target, base, head: from });
    const made = await merge("scratch", head);
    expect(made.status).toBe(201);
    expect(made.data.parents.map(({ sha }) => sha)).toEqual([await tipOf(app, "main"), head]);
    expect(made.data.commit.message).toBe(`Merge ${head} into scratch`);
    expect(made.data.author?.login).toBe(`${sandbox.app.slug}[bot]`);
    expect(await tipOf(app, "scratch")).toBe(made.data.sha);
    expect((await merge("scratch", "feature")).status).toBe(204);
    expect(await refusal(merge("scratch", "rival"))).toEqual({ status: 409, message: "Merge conflict" });
    expect(await refusal(merge("nowhere", "rival"))).toEqual({ status: 404, message: "Base does not exist" });
    expect(await refusal(merge("scratch", "nowhere"))).toEqual({
      status: 404,
      message: "Head does not exist",
    });
  }));

test("refs can be created, listed, moved, and removed", () =>
  inSandbox(async ({ asInstallation: app }) => {
    const main = await tipOf(app, "main");
    const create = (ref: string, sha = main) => app.rest.git.createRef({ ...target, ref, sha });
    await create("refs/heads/trainyard-merge/pr-1/a");
    await create("refs/heads/trainyard-merge/pr-2/b");
    const message = async (call: Promise<unknown>) => (await refusal(call)).message;
    expect(await message(create("refs/heads/trainyard-merge/pr-1/a"))).toBe("Reference already exists");
    expect(await message(create("refs/heads/trainyard-merge/pr-1"))).toBe("Reference update failed");
    expect(await message(create("refs/heads/x", NOWHERE))).toBe("Object does not exist");
    expect(await message(create("refs/heads/a..b"))).toBe("Reference name is invalid");
    expect(await message(create("refs/pull/9/head"))).toBe("Reference update failed");
    const { data: matching } = await app.rest.git.listMatchingRefs({
      ...target,
      ref: "heads/trainyard-merge/",
    });
    expect(matching.map(({ ref }) => ref)).toEqual([
      "refs/heads/trainyard-merge/pr-1/a",
      "refs/heads/trainyard-merge/pr-2/b",
    ]);
    const next = await commitOn(app, main, { a: "1" });
    const moved = await app.rest.git.updateRef({ ...target, ref: "heads/trainyard-merge/pr-1/a", sha: next });
    expect(moved.data.object.sha).toBe(next);
    expect(await message(app.rest.git.updateRef({ ...target, ref: "heads/nowhere", sha: next }))).toBe(
      "Reference does not exist",
    );
    await app.rest.git.deleteRef({ ...target, ref: "heads/trainyard-merge/pr-1/a" });
    expect(await message(app.rest.git.deleteRef({ ...target, ref: "heads/trainyard-merge/pr-1/a" }))).toBe(
      "Reference does not exist",
    );
    expect(
      await refusal(app.rest.git.getRef({ ...target, ref: "heads/trainyard-merge/pr-1" })),
    ).toMatchObject({
      status: 404,
    });
  }));

test("blobs, trees, and commits are written and read", () =>
  inSandbox(async ({ asAlice }) => {
    const { data: blob } = await asAlice.rest.git.createBlob({
      ...target,
      content: "aGk=",
      encoding: "base64",
    });
    const { data: main } = await asAlice.rest.git.getCommit({
      ...target,
      commit_sha: await tipOf(asAlice, "main"),
    });
    const { data: tree } = await asAlice.rest.git.createTree({
      ...target,
      base_tree: main.tree.sha,
      tree: [
        { path: "dir/hi.txt", mode: "100644", type: "blob", sha: blob.sha },
        { path: "facts/base.json", mode: "100644", type: "blob", sha: null },
      ],
    });
    const { data: read } = await asAlice.rest.git.getTree({ ...target, tree_sha: tree.sha, recursive: "1" });
    expect(read.tree.map(({ path, type, size }) => [path, type, size])).toEqual([
      ["README.md", "blob", 10],
      ["dir", "tree", undefined],
      ["dir/hi.txt", "blob", 2],
    ]);
    const author = { name: "Ann", email: "ann@example.com", date: "2026-01-02T03:04:05Z" };
    const message = "Say hi";
    const { data: commit } = await asAlice.rest.git.createCommit({
      ...target,
      message,
      tree: tree.sha,
      author,
    });
    expect(commit).toMatchObject({ author, committer: author, message, parents: [] });
    const refuse = async (fields: object) =>
      (await refusal(asAlice.rest.git.createCommit({ ...target, message, tree: tree.sha, ...fields })))
        .message;
    expect(await refuse({ tree: NOWHERE })).toBe("Tree SHA does not exist");
    expect(await refuse({ parents: [NOWHERE] })).toBe("Parent SHA does not exist or is not a commit object");
  }));

test("content is read from any ref, as JSON or raw, and directories are listed", () =>
  inSandbox(async ({ asCarol, asAlice }) => {
    await branchWith(asAlice, "feature/x", { "dir/näme.txt": "ü\n" });
    const read = (path: string, ref = "feature/x") => asCarol.rest.repos.getContent({ ...target, path, ref });
    const { data: file } = await read("dir/näme.txt");
    expect(file).toMatchObject({ type: "file", size: 3, encoding: "base64", content: "w7wK" });
    const { data: raw } = await asCarol.rest.repos.getContent({
      ...target,
      path: "README.md",
      mediaType: { format: "raw" },
    });
    expect(raw).toBe("# Widgets\n");
    const { data: root } = await read("");
    expect(root).toMatchObject([
      { name: "README.md", type: "file" },
      { name: "dir", type: "dir" },
      { name: "facts", type: "dir" },
    ]);
    expect(await refusal(read("dir/none"))).toMatchObject({ status: 404 });
    expect(await refusal(read("README.md", "nowhere"))).toMatchObject({ status: 404 });
  }));

test("commits are found by branch, ref, and id, short or long, and compared", () =>
  inSandbox(async ({ asAlice }) => {
    const base = await tipOf(asAlice, "main");
    const head = await branchWith(asAlice, "feature", { a: "1\n" });
    for (const ref of ["feature", "heads/feature", head, head.slice(0, 8)]) {
      const { data } = await asAlice.rest.repos.getCommit({ ...target, ref });
      expect(data).toMatchObject({ sha: head, stats: { total: 1 }, files: [{ filename: "a" }] });
    }
    expect(await refusal(asAlice.rest.repos.getCommit({ ...target, ref: NOWHERE }))).toEqual({
      status: 422,
      message: `No commit found for SHA: ${NOWHERE}`,
    });
    await asAlice.rest.git.updateRef({
      ...target,
      ref: "heads/main",
      sha: await commitOn(asAlice, base, { b: "1" }),
    });
    const compare = async (basehead: string) =>
      (await asAlice.rest.repos.compareCommitsWithBasehead({ ...target, basehead })).data;
    expect(await compare("main...feature")).toMatchObject({
      status: "diverged",
      ahead_by: 1,
      behind_by: 1,
      merge_base_commit: { sha: base },
      commits: [{ sha: head }],
      files: [{ filename: "a", status: "added" }],
    });
    expect(await compare(`${base}...acme:feature`)).toMatchObject({ status: "ahead", behind_by: 0 });
    expect(await compare(`feature...${base}`)).toMatchObject({ status: "behind", ahead_by: 0 });
    expect(await compare("feature...feature")).toMatchObject({ status: "identical" });
  }));
