import { repositoryNamed } from "./repository-controls.ts";
import type { Sandbox } from "./sandbox.ts";
import type { App } from "./world/account.ts";
import { readAppManifest } from "./world/app-permissions.ts";
import { acceptPermissions, install, select, suspend, uninstall } from "./world/installations.ts";
import type { World } from "./world/world.ts";

type AppControls = Pick<
  Sandbox,
  "updateApp" | "acceptPermissions" | "suspend" | "unsuspend" | "uninstall" | "install" | "select"
>;

/** What the App's owner, and the administrators of accounts, do with the App. */
export function appControls(world: World, app: App): AppControls {
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
      if (accepted) for (const one of world.installations) if (one.app === app) one.permissions = permissions;
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
  };
}
