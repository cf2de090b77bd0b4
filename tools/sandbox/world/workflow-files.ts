import { isTree, type TreeEntry } from "../git/git-object.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { entryAt } from "../git/tree-files.ts";
import type { PullRequest } from "./pull-request.ts";
import type { Repository } from "./repository.ts";

const folder = ".github/workflows";

/**
 * GitHub's refusal of a change of workflow files by an App that may not make one; null when there is no such change.
 * A file that a branch has already, with the same name and content, is no change.
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps#available-scopes
 *
 * @param merging the merge of a pull request, whose files count though its head branch has them
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
 * Whether the branch of an open pull request counts is reported in both ways. It does not here: that is the case which a caller must
 * be able to deal with.
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
