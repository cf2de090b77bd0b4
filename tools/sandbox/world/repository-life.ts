import type { Account } from "./account.ts";
import { editPull } from "./pulls/pull-lifecycle.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** Renames a repository. Requests with the old name are redirected until another repository takes that name. */
export async function renameRepository(world: World, repository: Repository, name: string): Promise<void> {
  const from = repository.name;
  world.moveRepository(repository, repository.owner, name);
  const change = { action: "renamed", from } as const;
  await world.emit({ type: "repository", repository, sender: repository.owner, change });
}

/** Transfers a repository. As with a rename, the old name is redirected to the new one. */
export async function transferRepository(world: World, repository: Repository, to: Account): Promise<void> {
  const from = repository.owner;
  world.moveRepository(repository, to, repository.name);
  for (const installation of world.installations) {
    const told = { type: "installation_repositories", installation, sender: to } as const;
    if (installation.selected?.delete(repository.id) || installation.account === from)
      await world.emit({ ...told, action: "removed", repositories: [repository] });
    if (installation.account === to && installation.selected === null)
      await world.emit({ ...told, action: "added", repositories: [repository] });
  }
  const change = { action: "transferred", from } as const;
  await world.emit({ type: "repository", repository, sender: to, change });
}

export async function setArchived(world: World, repository: Repository, archived: boolean): Promise<void> {
  repository.archived = archived;
  const change = { action: archived ? "archived" : "unarchived" } as const;
  await world.emit({ type: "repository", repository, sender: repository.owner, change });
}

export async function deleteRepository(world: World, repository: Repository): Promise<void> {
  world.removeRepository(repository);
  const change = { action: "deleted" } as const;
  await world.emit({ type: "repository", repository, sender: repository.owner, change });
}

/**
 * Renames a branch. Its rules and the pull requests into it follow. Branch operations with the old name are redirected.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-branches-in-your-repository/renaming-a-branch
 */
export function renameBranch(
  world: World,
  repository: Repository,
  from: string,
  to: string,
  sender: Account = repository.owner,
): Promise<void> {
  return repository.changing.exclusive(async () => {
    const sha = repository.branch(from);
    if (sha === null) throw new Error(`${repository.fullName} has no branch ${from}`);
    const { refs } = repository.git;
    // The old name may be in the way of the new one: `release` of `release/1.0`.
    refs.swap(`refs/heads/${from}`, sha, null);
    refs.swap(`refs/heads/${to}`, null, sha);
    repository.renamedBranches.set(from, to);
    repository.renamedBranches.delete(to);
    if (repository.defaultBranch === from) repository.defaultBranch = to;
    repository.protections = repository.protections.map((rule) =>
      rule.pattern === from ? { ...rule, pattern: to } : rule,
    );
    const push = { type: "push", repository, sender, forced: false } as const;
    await world.emit({ ...push, ref: `refs/heads/${to}`, before: null, after: sha });
    await world.emit({ ...push, ref: `refs/heads/${from}`, before: sha, after: null });
    for (const pull of repository.openPulls(({ base }) => base.ref === from))
      await editPull(world, pull, sender, { base: { ref: to, sha: pull.base.sha } });
  });
}
