import { join } from "node:path";
import { type CiSettings, createCiSettings } from "./ci/ci-settings.ts";
import { GitRepository } from "./git/git-repository.ts";
import { writeFileTree } from "./git/tree-files.ts";
import { type Account, type Role, signatureOf } from "./world/account.ts";
import { type MergeMethod, type MessageSettings, Repository } from "./world/repository.ts";
import { createProtection, type ProtectionOptions } from "./world/rules/protection.ts";
import { createRuleset, type RulesetOptions } from "./world/rules/ruleset.ts";
import type { World } from "./world/world.ts";

export interface RepositoryOptions {
  /** A login. An organisation of that name is created if no account has it. */
  owner: string;
  name: string;
  /** Content by path of the first commit. Not used for a fork. */
  files?: Record<string, string>;
  /** `owner/name` of the repository that this one forks. The fork starts with the tip of its default branch. */
  forkOf?: string;
  defaultBranch?: string;
  /** The protection of the default branch. */
  protection?: ProtectionOptions;
  rulesets?: RulesetOptions[];
  /** `free`: requests for rules and protection get 403, and rulesets have no effect. Default: `team`. */
  plan?: "free" | "team";
  /** Null = no CI. Default: CI with default settings, but no CI for a fork. */
  ci?: Partial<CiSettings> | null;
  /** Roles by login, in addition to the users' own permissions. */
  collaborators?: Record<string, Role>;
  mergeMethods?: readonly MergeMethod[];
  messages?: Partial<MessageSettings>;
  /** Whether the settings offer auto-merge. Default: false. Enabling it on a pull request works either way. */
  allowAutoMerge?: boolean;
  /** Whether the branch of a merged pull request is deleted. Default: false. */
  deleteBranchOnMerge?: boolean;
  /** Whether issues can be opened. Default: true. */
  hasIssues?: boolean;
  /** Whether the App is installed on the owner. Default: true. This is one setting for all repositories of an owner. */
  installed?: boolean;
}

/** Creates a repository with its first commit, to which no rule applies. */
export async function createRepository(
  world: World,
  directory: string,
  options: RepositoryOptions,
): Promise<Repository> {
  const { name, files = {} } = options;
  const parent = options.forkOf === undefined ? null : parentOf(world, options.forkOf);
  const defaultBranch = options.defaultBranch ?? parent?.defaultBranch ?? "main";
  const owner = world.ensureAccount(options.owner, "Organization");
  if (world.repository(owner.login, name) !== null) throw new Error(`${owner.login}/${name} exists already`);
  const collaborators = Object.entries(options.collaborators ?? {}).map(([login, role]) => {
    const account = world.account(login);
    if (account === null) throw new Error(`there is no user ${login}`);
    return [account, role] as const;
  });
  const now = world.now();
  const id = world.nextId();
  // A renamed or moved repository may still use the directory.
  const path = join(directory, owner.login, `${name}.git`);
  const isTaken = world.everyRepository.some(({ git }) => git.directory === path);
  // From here on nothing may fail, because closing the world would not close a repository that was not added to it.
  const git = GitRepository.create(isTaken ? path.replace(/git$/, `${id}.git`) : path, defaultBranch);
  const repository = new Repository({
    id,
    owner,
    name,
    defaultBranch,
    createdAt: now,
    git,
    parent,
  });
  const first = parent === null ? writeFirstCommit(git, owner, now, files) : await copyTip(git, parent);
  git.refs.swap(`refs/heads/${defaultBranch}`, null, first);
  for (const [account, role] of collaborators) repository.collaborators.set(account.login, role);
  if (options.protection)
    repository.protections.push(createProtection(defaultBranch, options.protection, world.seed));
  const source = { type: "Repository", name: repository.fullName } as const;
  repository.rulesets = (options.rulesets ?? []).map((one) => createRuleset(world.nextId(), source, one));
  repository.plan = options.plan ?? "team";
  if (options.mergeMethods) repository.mergeMethods = options.mergeMethods;
  repository.hasIssues = options.hasIssues ?? true;
  repository.messages = { ...repository.messages, ...options.messages };
  repository.deleteBranchOnMerge = options.deleteBranchOnMerge ?? false;
  repository.allowAutoMerge = options.allowAutoMerge ?? false;
  // GitHub runs workflows in a fork only after its owner has allowed it.
  const ci = options.ci === undefined && parent !== null ? null : options.ci;
  repository.ci = ci === null ? null : createCiSettings(ci ?? {});
  world.addRepository(repository);
  return repository;
}

function parentOf(world: World, fullName: string): Repository {
  const [owner = "", name = ""] = fullName.split("/");
  const parent = world.repository(owner, name);
  if (parent === null) throw new Error(`there is no repository ${fullName}`);
  return parent;
}

function writeFirstCommit(
  git: GitRepository,
  owner: Account,
  now: Date,
  files: Record<string, string>,
): string {
  const author = signatureOf(owner, now);
  const tree = writeFileTree(git, files);
  return git.writeCommit({ tree, parents: [], author, committer: author, message: "Initial commit" });
}

async function copyTip(git: GitRepository, parent: Repository): Promise<string> {
  const tip = parent.branch(parent.defaultBranch);
  if (tip === null) throw new Error(`${parent.fullName} has no ${parent.defaultBranch}`);
  await git.copyFrom(parent.git, tip);
  return tip;
}
