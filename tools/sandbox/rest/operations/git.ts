import { accountOf, writerOf } from "../../auth/authorize.ts";
import { isSha, isTree, type Signature } from "../../git/git-object.ts";
import type { GitRepository } from "../../git/git-repository.ts";
import { isValidRef } from "../../git/ref-store.ts";
import { entriesBelow, withEntry } from "../../git/tree-files.ts";
import type { OperationId } from "../../schema/operations.ts";
import { shuffle } from "../../seeded-draw.ts";
import { signatureOf } from "../../world/account.ts";
import type { Repository } from "../../world/repository.ts";
import { type RefWriteResult, refusalMessage, writeRef } from "../../world/write-ref.ts";
import { resolveCommit } from "../lookups.ts";
import type { Call, Handlers } from "../operation.ts";
import { notFound, Refusal } from "../refusal.ts";
import { renderGitCommit } from "../render/commit.ts";
import { nodeId, type Urls } from "../urls.ts";

const typeOf = (mode: string): string => {
  if (mode === "160000") return "commit";
  return mode === "40000" || mode === "040000" ? "tree" : "blob";
};

const signed = (given: { name: string; email: string; date?: string }, now: Date): Signature => ({
  name: given.name,
  email: given.email,
  date: given.date === undefined ? now : new Date(given.date),
});

export const gitObjectOperations = {
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
} satisfies Handlers;

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

async function renderRef(urls: Urls, repository: Repository, ref: string, sha: string) {
  const type = (await repository.git.readObject(sha))?.type ?? "commit";
  const url = urls.repository(repository);
  const path = encodeURI(ref.replace(/^refs\//, ""));
  return {
    ref,
    node_id: nodeId("Ref", ref),
    url: `${url}/git/refs/${path}`,
    object: { sha, type, url: `${url}/git/${type}s/${sha}` },
  };
}

/** Pull request refs belong to GitHub. */
function writableRef(ref: string): string {
  if (!isValidRef(ref)) throw new Refusal(422, "Reference name is invalid");
  if (ref.startsWith("refs/pull/")) throw new Refusal(422, "Reference update failed");
  return ref;
}

/** @param refused the message for operations in which GitHub does not name what branch protection forbids; default: it is named */
function throwUnlessWritten(result: RefWriteResult, refused?: string): void {
  switch (result.outcome) {
    case "written":
      return;
    case "stale":
      throw new Refusal(409, "Reference has changed meanwhile. Please retry.");
    case "refused":
      throw new Refusal(
        422,
        result.refusal.by === "protection" && refused !== undefined
          ? refused
          : refusalMessage(result.refusal),
      );
    case "obstructed":
      throw new Refusal(422, "Reference update failed");
  }
}

async function commitBehindBranch(
  call: Call<"git/create-ref" | "git/update-ref">,
  ref: string,
): Promise<string> {
  const { sha } = call.body;
  const object = isSha(sha) ? await call.repository.git.readObject(sha) : null;
  if (object === null) throw new Refusal(422, "Object does not exist");
  if (ref.startsWith("refs/heads/") && object.type !== "commit")
    throw new Refusal(422, "Object is not a commit");
  return sha;
}

const currentRef = (repository: Repository, ref: string): string => {
  const before = repository.git.refs.get(ref);
  if (before === null) throw new Refusal(422, "Reference does not exist");
  return before;
};

const writerOfCall = <Id extends OperationId>({ world, caller, repository }: Call<Id>) =>
  writerOf(world, caller, repository);

export const refOperations = {
  "git/get-ref": async ({ urls, path, repository }) => {
    const ref = `refs/${path.ref}`;
    const sha = repository.git.refs.get(ref);
    if (sha === null) throw notFound();
    return { status: 200, body: await renderRef(urls, repository, ref, sha) };
  },

  "git/list-matching-refs": async ({ world, urls, path, repository }) => {
    const matching = shuffle(world.seed, repository.git.refs.list(`refs/${path.ref}`), ([ref]) => ref);
    const body = await Promise.all(matching.map(([ref, sha]) => renderRef(urls, repository, ref, sha)));
    return { status: 200, body };
  },

  "git/create-ref": async (call) => {
    const { world, urls, body, repository } = call;
    const ref = writableRef(body.ref);
    const after = await commitBehindBranch(call, ref);
    if (repository.git.refs.get(ref) !== null) throw new Refusal(422, "Reference already exists");
    const write = { ref, before: null, after, writer: writerOfCall(call) };
    throwUnlessWritten(await writeRef(world, repository, write), "Reference update failed");
    return { status: 201, body: await renderRef(urls, repository, ref, after) };
  },

  "git/update-ref": async (call) => {
    const { world, urls, body, path, repository } = call;
    const ref = writableRef(`refs/${path.ref}`);
    const before = currentRef(repository, ref);
    const after = await commitBehindBranch(call, ref);
    if (body.force !== true && !(await repository.git.graph.contains(after, before))) {
      throw new Refusal(422, "Update is not a fast forward");
    }
    throwUnlessWritten(await writeRef(world, repository, { ref, before, after, writer: writerOfCall(call) }));
    return { status: 200, body: await renderRef(urls, repository, ref, after) };
  },

  "git/delete-ref": async (call) => {
    const { world, path, repository } = call;
    const ref = writableRef(`refs/${path.ref}`);
    const before = currentRef(repository, ref);
    throwUnlessWritten(
      await writeRef(world, repository, { ref, before, after: null, writer: writerOfCall(call) }),
    );
    return { status: 204, body: undefined };
  },
} satisfies Handlers;
