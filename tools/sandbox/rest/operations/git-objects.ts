import { accountOf } from "../../auth/caller.ts";
import { isSha, isTree, type Signature } from "../../git/git-object.ts";
import type { GitRepository } from "../../git/git-repository.ts";
import { entriesBelow, withEntry } from "../../git/tree-files.ts";
import { signatureOf } from "../../world/account.ts";
import type { Handlers } from "../operation.ts";
import { notFound, Refusal } from "../refusal.ts";
import { renderGitCommit } from "../render/commit.ts";
import { resolveCommit } from "../resolve-commit.ts";
import { nodeId } from "../urls.ts";

type GitObjectOperation =
  | "git/create-blob"
  | "git/get-blob"
  | "git/create-tree"
  | "git/get-tree"
  | "git/create-commit"
  | "git/get-commit";

const typeOf = (mode: string): string => {
  if (mode === "160000") return "commit";
  return mode === "40000" || mode === "040000" ? "tree" : "blob";
};

const signed = (given: { name: string; email: string; date?: string }, now: Date): Signature => ({
  name: given.name,
  email: given.email,
  date: given.date === undefined ? now : new Date(given.date),
});

export const gitObjectOperations: Handlers<GitObjectOperation> = {
  "git/create-blob": ({ urls, body, repository }) => {
    const encoding = body.encoding === "base64" ? "base64" : "utf8";
    const sha = repository.git.writeBlob(Buffer.from(body.content, encoding));
    return { status: 201, body: { sha, url: `${urls.repository(repository)}/git/blobs/${sha}` } };
  },

  "git/get-blob": async ({ urls, path, repository }) => {
    const sha = path.file_sha;
    const content = isSha(sha) ? ((await repository.git.readObject(sha))?.content ?? null) : null;
    if (content === null) throw notFound();
    const url = `${urls.repository(repository)}/git/blobs/${sha}`;
    const encoded = { encoding: "base64", content: content.toString("base64") };
    return {
      status: 200,
      body: { sha, node_id: nodeId("Blob", sha), url, size: content.length, ...encoded },
    };
  },

  "git/create-tree": async ({ urls, body, repository }) => {
    const { git } = repository;
    const base = body.base_tree;
    // A commit is accepted in place of its tree.
    let tree = base === undefined ? null : ((await git.commit(base))?.tree ?? base);
    if (tree !== null && (await git.readTree(tree)) === null)
      throw new Refusal(422, "base_tree is not a valid tree oid");
    for (const { path = "", mode = "100644", sha, content } of body.tree) {
      const blob = content === undefined ? sha : git.writeBlob(Buffer.from(content));
      if (blob === undefined || path === "")
        throw new Refusal(422, "tree.sha or tree.content must be supplied");
      if (blob !== null && !isSha(blob)) throw new Refusal(422, `tree.sha ${blob} is not a valid blob`);
      tree = await withEntry(
        git,
        tree,
        path,
        blob === null ? null : { mode: mode.replace(/^0/, ""), sha: blob },
      );
    }
    const sha = tree ?? git.writeTree([]);
    return { status: 201, body: await renderTree(sha, false, { url: urls.repository(repository), git }) };
  },

  "git/get-tree": async ({ urls, path, query, repository }) => {
    const { git } = repository;
    const commit = await resolveCommit(repository, path.tree_sha);
    const tree = commit?.tree ?? path.tree_sha;
    if (!isSha(tree) || (await git.readTree(tree)) === null) throw notFound();
    const url = urls.repository(repository);
    return { status: 200, body: await renderTree(tree, query.recursive !== undefined, { url, git }) };
  },

  "git/create-commit": async ({ world, urls, caller, body, repository }) => {
    const { git } = repository;
    if (!isSha(body.tree) || (await git.readTree(body.tree)) === null) {
      throw new Refusal(422, "Tree SHA does not exist");
    }
    for (const parent of body.parents ?? []) {
      if ((await git.commit(parent)) === null) {
        throw new Refusal(422, "Parent SHA does not exist or is not a commit object");
      }
    }
    const now = world.now();
    const author = body.author === undefined ? signatureOf(accountOf(caller), now) : signed(body.author, now);
    const { name = author.name, email = author.email, date } = body.committer ?? {};
    const committer =
      body.committer === undefined ? author : signed({ name, email, ...(date ? { date } : {}) }, now);
    const commit = { tree: body.tree, parents: body.parents ?? [], author, committer, message: body.message };
    const sha = git.writeCommit(commit);
    return { status: 201, body: renderGitCommit(urls, repository, { ...commit, sha }) };
  },

  "git/get-commit": async ({ urls, path, repository }) => {
    const commit = isSha(path.commit_sha) ? await repository.git.commit(path.commit_sha) : null;
    if (commit === null) throw notFound();
    return { status: 200, body: renderGitCommit(urls, repository, commit) };
  },
};

async function renderTree(
  sha: string,
  recursive: boolean,
  { url, git }: { url: string; git: GitRepository },
) {
  const entries = recursive
    ? await entriesBelow(git, sha)
    : ((await git.readTree(sha)) ?? []).map((entry) => ({ path: entry.name, entry }));
  const tree = await Promise.all(
    entries.map(async ({ path, entry }) => {
      const type = typeOf(entry.mode);
      const size = type === "blob" ? (await git.readObject(entry.sha))?.content.length : undefined;
      return {
        path,
        mode: isTree(entry) ? "040000" : entry.mode,
        type,
        sha: entry.sha,
        ...(size === undefined ? {} : { size }),
        url: `${url}/git/${type}s/${entry.sha}`,
      };
    }),
  );
  return { sha, url: `${url}/git/trees/${sha}`, tree, truncated: false };
}
