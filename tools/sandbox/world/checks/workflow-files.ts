import { isTree, type TreeEntry } from "../../git/git-object.ts";
import type { GitRepository } from "../../git/git-repository.ts";
import { entryAt } from "../../git/tree-files.ts";
import type { PullRequest } from "../pulls/pull-request.ts";
import type { Repository } from "../repository.ts";

const folder = ".github/workflows";

/**
 * Returns GitHub's refusal when an App without permission changes workflow files; null when there is no such change. A file that
 * exists on a branch with the same name and content is not a change.
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps#available-scopes
 *
 * @param merging the merge of a pull request; its files count as changes although its head branch has them
 */
export async function refusalOfWorkflowChange(
  repository: Repository,
  after: string,
  merging: PullRequest | null,
): Promise<string | null> {
  const { git } = repository;
  const wanted = await workflowFiles(git, after);
  if (wanted.length === 0) return null;
  const known = new Set<string>();
  for (const sha of branchesThatCount(repository, merging))
    for (const { name, sha: blob } of await workflowFiles(git, sha)) known.add(`${name} ${blob}`);
  const changed = wanted.find(({ name, sha }) => !known.has(`${name} ${sha}`));
  if (changed === undefined) return null;
  const file = `\`${folder}/${changed.name}\``;
  return `refusing to allow a GitHub App to create or update workflow ${file} without \`workflows\` permission`;
}

/**
 * Returns the branches whose workflow files are known. Reports disagree on whether the branch of an open pull request counts.
 * Here it does not: callers must be able to handle that case.
 */
function branchesThatCount(repository: Repository, merging: PullRequest | null): string[] {
  if (merging !== null) return [repository.branch(merging.base.ref) ?? ""].filter((sha) => sha !== "");
  const heads = new Set(
    repository.openPulls(({ head }) => head.repository === repository).map(({ head }) => head.ref),
  );
  return repository.git.refs
    .list("refs/heads/")
    .flatMap(([ref, sha]) => (heads.has(ref.slice("refs/heads/".length)) ? [] : [sha]));
}

async function workflowFiles(git: GitRepository, commit: string): Promise<TreeEntry[]> {
  const found = await git.commit(commit);
  const entry = found === null ? null : await entryAt(git, found.tree, folder);
  if (entry === null || !isTree(entry)) return [];
  return ((await git.readTree(entry.sha)) ?? []).filter((one) => !isTree(one));
}
