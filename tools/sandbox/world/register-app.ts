import type { App } from "./account.ts";
import type { Permissions } from "./app-permissions.ts";
import type { World } from "./world.ts";

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
