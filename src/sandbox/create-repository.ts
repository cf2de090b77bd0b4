import { join } from "node:path";
import type { CiSettings } from "./ci/ci-settings.ts";
import { createCiSettings } from "./ci/ci-settings.ts";
import { GitRepository } from "./git/git-repository.ts";
import { writeFileTree } from "./git/tree-files.ts";
import { signatureOf } from "./world/account.ts";
import type { Role } from "./world/permission.ts";
import { createProtection, type ProtectionOptions } from "./world/protection.ts";
import { type MergeMethod, Repository } from "./world/repository.ts";
import type { World } from "./world/world.ts";

export interface RepositoryOptions {
  /** A login; an organisation of that name is made if nobody has it. */
  owner: string;
  name: string;
  /** Content by path of the first commit. */
  files: Record<string, string>;
  defaultBranch?: string;
  /** The rule of the default branch. */
  protection?: ProtectionOptions;
  /** Null: no CI. By default, CI with default settings. */
  ci?: Partial<CiSettings> | null;
  /** Roles by login, besides what the users may do everywhere. */
  collaborators?: Record<string, Role>;
  mergeMethods?: readonly MergeMethod[];
  /**
   * Whether the App is installed on the owner. True by default; it is one setting for all repositories of an
   * owner.
   */
  installed?: boolean;
}

/** Makes a repository with its first commit, to which no rule applies. */
export async function createRepository(
  world: World,
  directory: string,
  options: RepositoryOptions,
): Promise<Repository> {
  const { name, files, defaultBranch = "main" } = options;
  const owner = world.ensureAccount(options.owner, "Organization");
  if (world.repository(owner.login, name) !== null) throw new Error(`${owner.login}/${name} exists already`);
  const collaborators = Object.entries(options.collaborators ?? {}).map(([login, role]) => {
    const account = world.account(login);
    if (account === null) throw new Error(`there is no user ${login}`);
    return [account, role] as const;
  });
  const now = world.now();
  // From here on nothing may fail: what is not in the world is not closed with it.
  const git = GitRepository.create(join(directory, owner.login, `${name}.git`), defaultBranch);
  const repository = new Repository({ id: world.nextId(), owner, name, defaultBranch, createdAt: now, git });
  const author = signatureOf(owner, now);
  const tree = writeFileTree(git, files);
  const first = git.writeCommit({ tree, parents: [], author, committer: author, message: "Initial commit" });
  await git.refs.swap(`refs/heads/${defaultBranch}`, null, first);
  for (const [account, role] of collaborators) repository.collaborators.set(account.login, role);
  if (options.protection) repository.protections.push(createProtection(defaultBranch, options.protection));
  if (options.mergeMethods) repository.mergeMethods = options.mergeMethods;
  repository.ci = options.ci === null ? null : createCiSettings(options.ci ?? {});
  world.addRepository(repository);
  return repository;
}
