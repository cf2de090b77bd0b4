import type { Caller } from "../auth/caller.ts";
import { isTree } from "../git/git-object.ts";
import { entryAt } from "../git/tree-files.ts";
import { resolveCommit } from "../rest/resolve-commit.ts";
import { grants } from "../world/app-permissions.ts";
import type { Repository } from "../world/repository.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";

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
