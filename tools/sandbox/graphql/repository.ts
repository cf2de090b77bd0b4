import { type Caller, canSee, writerOf } from "../auth/authorize.ts";
import { isSha, isTree, ZERO_SHA } from "../git/git-object.ts";
import { entryAt } from "../git/tree-files.ts";
import { resolveCommit } from "../rest/lookups.ts";
import { nodeId, type Urls } from "../rest/urls.ts";
import { grants, hasRole } from "../world/account.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import { type RefWrite, refusalMessage, writeRefs } from "../world/write-ref.ts";
import { GraphqlRefusal, repositoryByNodeId, requireWritable } from "./find-node.ts";
import { findPullRequest, findRef } from "./pull-request.ts";

/** @param show returns the repository in its current or a past state */
export function findRepository(
  world: World,
  urls: Urls,
  caller: Caller,
  { owner, name }: { owner: string; name: string },
  show: (repository: Repository) => Repository,
) {
  // `followRenames` is true by default. The schema subset does not have that argument.
  const repository = world.repository(owner, name) ?? world.formerly(owner, name);
  if (repository === null || !canSee(world, caller, repository)) {
    const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
    throw new GraphqlRefusal("NOT_FOUND", message);
  }
  const shown = show(repository);
  return {
    id: nodeId("Repository", repository.id),
    mergeCommitMessage: shown.messages.merge_commit_message,
    mergeCommitTitle: shown.messages.merge_commit_title,
    object: (args: { expression?: string }) => objectAt(shown, caller, args),
    pullRequest: ({ number }: { number: number }) => findPullRequest(world, urls, caller, shown, number),
    /** Only open ones, because nothing else is requested. */
    pullRequests: async ({ baseRefName, first = 0 }: { baseRefName?: string; first?: number }) => {
      const pulls = shown.openPulls(({ base }) => baseRefName === undefined || base.ref === baseRefName);
      const numbers = pulls.slice(0, first).map(({ number }) => number);
      return { nodes: numbers.map((number) => findPullRequest(world, urls, caller, shown, number)) };
    },
    ref: ({ qualifiedName }: { qualifiedName: string }) =>
      findRef(shown, qualifiedName.replace(/^refs\/heads\//, "")),
  };
}

/** Returns a commit. Its tree is read only when the query asks for it. */
export function commitObject(repository: Repository, oid: string) {
  const tree = async () => {
    const commit = await repository.git.commit(oid);
    return commit && { oid: commit.tree };
  };
  return { __typename: "Commit", oid, tree };
}

/**
 * Returns a commit, or the entry at `commit:path`. Null when the commit or the entry does not exist.
 * https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function objectAt(
  repository: Repository,
  caller: Caller,
  { expression }: { expression?: string },
) {
  if (caller.kind === "installation" && !grants(caller.permissions, "contents", "read"))
    throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  const [, rev = "", path] = /^([^:]+)(?::(.*))?$/s.exec(expression ?? "") ?? [];
  const commit = await resolveCommit(repository, rev);
  if (path === undefined) return commit && commitObject(repository, commit.sha);
  const entry = commit && (await entryAt(repository.git, commit.tree, path));
  if (!entry || !isTree(entry)) return entry && { __typename: "Blob", oid: entry.sha };
  const entries = async () =>
    ((await repository.git.readTree(entry.sha)) ?? []).map((child) => ({
      name: child.name,
      oid: child.sha,
      type: isTree(child) ? "tree" : "blob",
    }));
  return { __typename: "Tree", oid: entry.sha, entries };
}

interface UpdateRefsInput {
  repositoryId: string;
  refUpdates: readonly { name: string; afterOid: string; beforeOid?: string; force?: boolean }[];
}

/**
 * Updates several refs, all or none.
 * https://docs.github.com/en/graphql/reference/mutations#updaterefs
 */
export async function updateRefs(
  world: World,
  caller: Caller,
  { repositoryId, refUpdates }: UpdateRefsInput,
): Promise<void> {
  const repository = repositoryByNodeId(world, caller, repositoryId);
  const isAllowed =
    caller.kind === "installation"
      ? grants(caller.permissions, "contents", "write")
      : caller.kind === "user" && hasRole(world.roleIn(repository, caller.account), "write");
  if (!isAllowed) throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  requireWritable(repository);
  const writer = writerOf(world, caller, repository);
  const writes: RefWrite[] = [];
  for (const update of refUpdates) writes.push({ ...(await plan(repository, update)), writer });
  const result = await writeRefs(world, repository, writes);
  if (result.outcome === "refused") throw unprocessable(refusalMessage(result.refusal));
  if (result.outcome === "obstructed") throw unprocessable("Reference update failed");
  if (result.outcome === "stale") throw unprocessable("Reference has changed meanwhile. Please retry.");
}

async function plan(
  repository: Repository,
  { name, afterOid, beforeOid, force }: UpdateRefsInput["refUpdates"][number],
): Promise<Omit<RefWrite, "writer">> {
  if (!/^refs\/(heads|tags)\/./.test(name)) throw unprocessable(`${name} is not a valid ref name.`);
  const before = repository.git.refs.get(name);
  if (beforeOid !== undefined && beforeOid !== (before ?? ZERO_SHA)) {
    throw unprocessable(`Expected ${name} to be at ${beforeOid}, but it is at ${before ?? ZERO_SHA}.`);
  }
  if (afterOid === ZERO_SHA) {
    if (before === null) throw unprocessable(`${name} does not exist.`);
    return { ref: name, before, after: null };
  }
  if (!isSha(afterOid) || (await repository.git.commit(afterOid)) === null) {
    throw unprocessable(`${afterOid} is not a commit.`);
  }
  const isForced = before !== null && !(await repository.git.graph.contains(afterOid, before));
  if (isForced && force !== true) throw unprocessable(`${name} cannot be fast-forwarded to ${afterOid}.`);
  return { ref: name, before, after: afterOid };
}

const unprocessable = (message: string) => new GraphqlRefusal("UNPROCESSABLE", message);
