import type { Background } from "./background.ts";
import { createCiSettings } from "./ci/ci-settings.ts";
import { greenTrees, judgeTree } from "./ci/facts.ts";
import { createRepository } from "./create-repository.ts";
import { resolveCommit } from "./rest/lookups.ts";
import type { Urls } from "./rest/urls.ts";
import type { Sandbox } from "./sandbox.ts";
import { type App, readAppManifest } from "./world/account.ts";
import { summarizeSuite } from "./world/checks/check.ts";
import { createStatus } from "./world/checks/checks.ts";
import {
  acceptPermissions,
  grantableBy,
  install,
  installOn,
  select,
  suspend,
  uninstall,
} from "./world/installations.ts";
import type { PullRequest } from "./world/pulls/pull-request.ts";
import { createStack, dissolveStack } from "./world/pulls/stack.ts";
import type { Repository } from "./world/repository.ts";
import {
  deleteRepository,
  renameBranch,
  renameRepository,
  setArchived,
  transferRepository,
} from "./world/repository-life.ts";
import { createProtection } from "./world/rules/protection.ts";
import { createRuleset } from "./world/rules/ruleset.ts";
import type { World } from "./world/world.ts";

interface RepositoryControlsParts {
  readonly world: World;
  readonly app: App;
  readonly ciApp: App;
  readonly urls: Urls;
  readonly background: Background;
  /** The directory for new repositories. */
  readonly directory: string;
  readonly seed: number;
}

/** @throws if there is none */
function repositoryNamed(world: World, fullName: string): Repository {
  const [owner = "", name = ""] = fullName.split("/");
  const repository = world.repository(owner, name);
  if (repository === null) throw new Error(`there is no repository ${fullName}`);
  return repository;
}

/** The actions of repository administrators, and what can be observed without the API. */
export function repositoryControls(parts: RepositoryControlsParts) {
  const { world, app, ciApp, urls, background, directory, seed } = parts;
  const repositoryOf = (fullName: string) => repositoryNamed(world, fullName);
  const nextId = () => world.nextId();
  return {
    async createRepository(repositoryOptions) {
      const repository = await background.hold(() => createRepository(world, directory, repositoryOptions));
      if (repositoryOptions.installed !== false) await installOn(world, app, repository);
      const { id, name, fullName } = repository;
      const owner = repository.owner.login;
      return {
        id,
        owner,
        name,
        fullName,
        gitUrl: urls.clone(repository),
        directory: repository.git.directory,
      };
    },

    setProtection(fullName, branch, protection) {
      const repository = repositoryOf(fullName);
      repository.protections = repository.protections.filter(({ pattern }) => pattern !== branch);
      if (protection !== null) repository.protections.push(createProtection(branch, protection, seed));
    },

    setRulesets(owner, rulesets) {
      const isRepository = owner.includes("/");
      const source = { type: isRepository ? "Repository" : "Organization", name: owner } as const;
      const target = isRepository ? repositoryOf(owner) : world.ensureAccount(owner, "Organization");
      target.rulesets = rulesets.map((options) => createRuleset(nextId(), source, options));
    },

    setMembership(login, member, membership) {
      const organisation = world.ensureAccount(login, "Organization");
      const account = world.ensureAccount(member, "User");
      organisation.members ??= new Map();
      if (membership === null) organisation.members.delete(account);
      else organisation.members.set(account, membership);
    },

    setTeam(slug, members) {
      const [login = "", team = ""] = slug.toLowerCase().split("/");
      const organisation = world.ensureAccount(login, "Organization");
      organisation.teams ??= new Map();
      organisation.teams.set(team, new Set(members.map((member) => member.toLowerCase())));
    },

    setPreReceiveHook(fullName, refusal) {
      repositoryOf(fullName).preReceiveHook = refusal;
    },

    stack(fullName, numbers) {
      const { pulls } = repositoryOf(fullName);
      const stack = createStack(
        world,
        numbers.flatMap((number) => pulls.get(number) ?? []),
      );
      return { number: stack.number, dissolve: () => dissolveStack(stack) };
    },

    async reportStatus(fullName, status) {
      const reported = { ...status, description: null, targetUrl: null, creator: ciApp.bot, app: ciApp };
      await createStatus(world, repositoryOf(fullName), reported);
    },

    setCi(fullName, settings) {
      repositoryOf(fullName).ci = settings === null ? null : createCiSettings(settings);
    },

    renameRepository: (fullName, name) => renameRepository(world, repositoryOf(fullName), name),
    transferRepository: (fullName, login) =>
      transferRepository(world, repositoryOf(fullName), world.ensureAccount(login, "Organization")),
    lockConversation(fullName, number) {
      const pull = repositoryOf(fullName).pulls.get(number);
      if (pull === undefined) throw new Error(`there is no pull request #${number}`);
      pull.locked = true;
    },
    setPublic: (fullName, isPublic) => {
      repositoryOf(fullName).isPublic = isPublic;
    },
    archive: (fullName) => setArchived(world, repositoryOf(fullName), true),
    unarchive: (fullName) => setArchived(world, repositoryOf(fullName), false),
    deleteRepository: (fullName) => deleteRepository(world, repositoryOf(fullName)),
    renameBranch: (fullName, from, to) => renameBranch(world, repositoryOf(fullName), from, to),

    workflowRuns: (fullName) =>
      [...repositoryOf(fullName).workflowRuns.values()].map(({ id, event, workflow, attempt, suite }) => ({
        id,
        event,
        workflow: workflow.name,
        attempt,
        headSha: suite.headSha,
        headBranch: suite.headBranch,
        conclusion: summarizeSuite(suite).conclusion,
      })),

    toldOn: (fullName, number) =>
      (repositoryOf(fullName).pulls.get(number)?.comments ?? []).map(({ author, body, told }) => {
        const loginsOf = (isMentioned: boolean) =>
          told.filter((one) => one.isMentioned === isMentioned).map(({ account }) => account.login);
        return { by: author.login, body, mentioned: loginsOf(true), others: loginsOf(false) };
      }),

    historyOf: async (fullName, branch) => historyOf(repositoryOf(fullName), branch),

    ci: {
      async verdictOf(fullName, treeish) {
        const repository = repositoryOf(fullName);
        const tree = (await resolveCommit(repository, treeish))?.tree ?? treeish;
        const checks = repository.ci?.checks ?? createCiSettings({}).checks;
        const verdicts = await judgeTree(repository.git, tree, checks);
        const green = [...verdicts.values()].every(({ conclusion }) => conclusion === "success");
        return { green, checks: Object.fromEntries(verdicts) };
      },
      greenTrees: (fullName) => greenTrees(repositoryOf(fullName)),
    },
  } satisfies Partial<Sandbox>;
}

/** The actions of the App's owner, and of account administrators, on the App. */
export function appControls(world: World, app: App) {
  const repositoryOf = (fullName: string) => repositoryNamed(world, fullName);
  const installationOn = (login: string) => {
    const account = world.account(login);
    const installation = account && world.installationOf(app, account);
    if (!installation) throw new Error(`the App is not installed on ${login}`);
    return installation;
  };

  return {
    updateApp(manifest, { accepted = true } = {}) {
      const { permissions, events } = readAppManifest(manifest);
      Object.assign(app, { permissions, events });
      if (accepted)
        for (const one of world.installations)
          if (one.app === app) one.permissions = grantableBy(one.account, app);
    },

    acceptPermissions: (login) => acceptPermissions(world, installationOn(login)),
    suspend: (login) => suspend(world, installationOn(login), true),
    unsuspend: (login) => suspend(world, installationOn(login), false),
    uninstall: (login) => uninstall(world, installationOn(login)),
    async install(login, selected) {
      const account = world.ensureAccount(login, "Organization");
      return (await install(world, app, account, selected?.map(repositoryOf) ?? null)).id;
    },
    select: (login, { added = [], removed = [] }) =>
      select(world, installationOn(login), added.map(repositoryOf), removed.map(repositoryOf)),
  } satisfies Partial<Sandbox>;
}

export interface History {
  /** The commits of a branch along the first parents, newest first. */
  readonly commits: readonly string[];
  /** The merged pull requests of the repository. */
  readonly merged: readonly number[];
  /** Those of these commits that merge a pull request; of a rebase, the last one. Newest first. */
  readonly merges: readonly { readonly sha: string; readonly pr: number }[];
}

/** Reads the history of a branch without a request. */
export async function historyOf(repository: Repository, branch: string): Promise<History> {
  const commits: string[] = [];
  const merges: { sha: string; pr: number }[] = [];
  const pulls = [...repository.pulls.values()];
  for (let sha = repository.branch(branch) ?? ""; sha !== ""; ) {
    commits.push(sha);
    const commit = await repository.git.commit(sha);
    const [first = "", second] = commit?.parents ?? [];
    const [, squashed] = /\(#(\d+)\)$/.exec(commit?.message.split("\n")[0] ?? "") ?? [];
    const isMergeOf = ({ head, merged, mergeCommitSha }: PullRequest) =>
      head.sha === second || (merged !== null && mergeCommitSha === sha);
    const pr = squashed ?? pulls.find(isMergeOf)?.number;
    if (pr !== undefined) merges.push({ sha, pr: Number(pr) });
    sha = first;
  }
  const merged = pulls.filter((pull) => pull.merged !== null);
  return { commits, merged: merged.map(({ number }) => number), merges };
}
