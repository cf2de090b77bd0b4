import type { Account, App, Installation, Permissions } from "./account.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** Whether an installation covers a repository: it is on the owner's account, and for all repositories or for this one. */
export const covers = ({ account, selected }: Installation, repository: Repository): boolean =>
  account === repository.owner && (selected === null || selected.has(repository.id));

export const coveredRepositories = (world: World, installation: Installation): Repository[] =>
  world.repositories().filter((repository) => covers(installation, repository));

/** The permissions of an App without those that concern organisations only, which a personal account cannot grant. */
export function grantableBy({ type }: Account, { permissions }: App): Permissions {
  const { members: _ofOrganisations, ...others } = permissions;
  return type === "User" ? others : permissions;
}

/**
 * Installs an App on an account, with a new id.
 * @throws if the App is already installed there
 */
export async function install(
  world: World,
  app: App,
  account: Account,
  selected: readonly Repository[] | null,
): Promise<Installation> {
  if (world.installationOf(app, account) !== null)
    throw new Error(`${app.slug} is installed on ${account.login}`);
  const installation: Installation = {
    id: world.nextId(),
    app,
    account,
    createdAt: world.now(),
    permissions: grantableBy(account, app),
    suspendedAt: null,
    selected: selected && new Set(selected.map(({ id }) => id)),
    removed: false,
  };
  world.installations.push(installation);
  await announce(world, installation, "created");
  return installation;
}

/** Installs an App on a repository's owner, or adds the repository to the existing installation. */
export async function installOn(world: World, app: App, repository: Repository): Promise<void> {
  const existing = world.installationOf(app, repository.owner);
  if (existing === null) await install(world, app, repository.owner, null);
  else if (existing.selected === null) await tellSelection(world, existing, [repository], []);
  else await select(world, existing, [repository], []);
}

/** Removes an installation. Its tokens stop working, and its id is never used again. */
export async function uninstall(world: World, installation: Installation): Promise<void> {
  const repositories = coveredRepositories(world, installation);
  installation.removed = true;
  world.installations.splice(world.installations.indexOf(installation), 1);
  await announce(world, installation, "deleted", repositories);
}

export async function suspend(world: World, installation: Installation, suspended: boolean): Promise<void> {
  installation.suspendedAt = suspended ? world.now() : null;
  await announce(world, installation, suspended ? "suspend" : "unsuspend");
}

/** Grants the permissions that the App currently requests. */
export async function acceptPermissions(world: World, installation: Installation): Promise<void> {
  installation.permissions = grantableBy(installation.account, installation.app);
  await announce(world, installation, "new_permissions_accepted");
}

/** Adds repositories to an installation and removes others. It then covers only selected repositories. */
export async function select(
  world: World,
  installation: Installation,
  added: readonly Repository[],
  removed: readonly Repository[],
): Promise<void> {
  const all = coveredRepositories(world, installation).map(({ id }) => id);
  const selected = new Set([...(installation.selected ?? all), ...added.map(({ id }) => id)]);
  for (const { id } of removed) selected.delete(id);
  installation.selected = selected;
  await tellSelection(world, installation, added, removed);
}

async function tellSelection(
  world: World,
  installation: Installation,
  added: readonly Repository[],
  removed: readonly Repository[],
): Promise<void> {
  const told = { type: "installation_repositories", installation, sender: installation.account } as const;
  if (added.length > 0) await world.emit({ ...told, action: "added", repositories: added });
  if (removed.length > 0) await world.emit({ ...told, action: "removed", repositories: removed });
}

async function announce(
  world: World,
  installation: Installation,
  action: "created" | "deleted" | "suspend" | "unsuspend" | "new_permissions_accepted",
  repositories = coveredRepositories(world, installation),
): Promise<void> {
  const sender = installation.account;
  await world.emit({ type: "installation", installation, sender, action, repositories });
}

/** The App id and bot account id of GitHub Actions on github.com. */
const GITHUB_ACTIONS_ID = 15_368;
const GITHUB_ACTIONS_BOT_ID = 41_898_282;

/** Adds the App of a manifest, with the slug that GitHub would derive from its name. */
export function registerApp(
  world: World,
  manifest: { name: string; permissions: Permissions; events: readonly string[] },
): App {
  const slug = manifest.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const app: App = {
    id: world.nextId(),
    slug,
    name: manifest.name,
    clientId: `Iv23li${slug.padEnd(14, "0").slice(0, 14)}`,
    externalUrl: "https://github.com/trainyard/trainyard",
    owner: world.ensureAccount("app-owner", "Organization"),
    bot: world.ensureAccount(`${slug}[bot]`, "Bot"),
    permissions: manifest.permissions,
    events: manifest.events,
    createdAt: world.now(),
  };
  world.apps.push(app);
  return app;
}

/** Adds the App that reports CI's checks: GitHub Actions. */
export function registerCiApp(world: World): App {
  const app: App = {
    id: GITHUB_ACTIONS_ID,
    slug: "github-actions",
    name: "GitHub Actions",
    clientId: "Iv1.05c79e9ad1f6bdfa",
    externalUrl: "https://help.github.com/en/actions",
    owner: world.ensureAccount("github", "Organization"),
    bot: world.ensureAccount("github-actions[bot]", "Bot", GITHUB_ACTIONS_BOT_ID),
    permissions: { checks: "write", contents: "read", metadata: "read", statuses: "write" },
    events: [],
    createdAt: world.now(),
  };
  world.apps.push(app);
  return app;
}

/** Returns the App of another vendor that reports on commits. Adds it if necessary. */
export function registerReportingApp(world: World, name: string): App {
  const known = world.apps.find((app) => app.name === name);
  if (known) return known;
  const permissions = { checks: "write", metadata: "read", statuses: "write" } as const;
  return registerApp(world, { name, permissions, events: [] });
}
