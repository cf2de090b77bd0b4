import type { App } from "./account.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** Installs an App on a repository's owner, or adds the repository to the installation that is there. */
export async function installApp(world: World, app: App, repository: Repository): Promise<void> {
  const sender = repository.owner;
  const existing = world.installationOf(app, repository.owner);
  if (existing !== null) {
    const added = [repository];
    return world.emit({ type: "installation_repositories", installation: existing, sender, added });
  }
  const installation = { id: world.nextId(), app, account: repository.owner, createdAt: world.now() };
  world.installations.push(installation);
  await world.emit({ type: "installation", installation, sender, repositories: [repository] });
}
