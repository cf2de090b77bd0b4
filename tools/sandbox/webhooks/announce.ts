import type { Violation } from "../request-log.ts";
import { nodeId, type Urls } from "../rest/urls.ts";
import { checkPayload, type WebhookName, webhookNames } from "../schema/webhook-names.ts";
import { type App, grants, type Installation } from "../world/account.ts";
import { covers } from "../world/installations.ts";
import type { World } from "../world/world.ts";
import { concernsApp, type WorldEvent } from "../world/world-event.ts";
import type { Hook } from "./hook.ts";
import { buildPayloads } from "./payloads.ts";

interface Announcer {
  world: World;
  urls: Urls;
  app: App;
  hook: Hook;
  report: (violation: Violation) => void;
}

/** GitHub sends some events to every App, and check events to Apps with write access to checks. */
function isSubscribed(installation: Installation, event: string): boolean {
  if (event === "installation" || event === "installation_repositories") return true;
  const { app, permissions } = installation;
  if ((event === "check_run" || event === "check_suite") && grants(permissions, "checks", "write"))
    return true;
  return app.events.includes(event);
}

const isKnown = (name: string): name is WebhookName => (webhookNames as readonly string[]).includes(name);

/**
 * Returns a listener that sends events to an App's hook. It sends only what the installation may see, in payloads that match
 * GitHub's description.
 */
export function announceTo({
  world,
  urls,
  app,
  hook,
  report,
}: Announcer): (event: WorldEvent) => Promise<void> {
  return async (event) => {
    if (hook.url === null || !concernsApp(event, app)) return;
    const installation = concernedInstallation(world, app, event);
    if (installation?.app !== app) return;
    for (const { event: name, action, payload, repository } of await buildPayloads(world, urls, event)) {
      if (!isSubscribed(installation, name)) continue;
      const described = [name, action]
        .filter((part) => part !== null)
        .join("-")
        .replaceAll("_", "-");
      const { id } = installation;
      const full =
        "installation" in event
          ? payload
          : { ...payload, installation: { id, node_id: nodeId("IntegrationInstallation", id) } };
      const body = JSON.stringify(full);
      // The check uses the JSON form, which has no undefined properties.
      const problem = isKnown(described) ? checkPayload(described, JSON.parse(body)) : "no such webhook";
      if (problem !== null) report({ kind: "webhook", subject: described, detail: problem });
      else {
        hook.accept({
          event: name,
          action,
          body,
          installationId: id,
          repositoryId: repository?.id ?? null,
        });
      }
    }
  };
}

/** A suspended App receives only events about its installation. */
function concernedInstallation(world: World, app: App, event: WorldEvent): Installation | null {
  if ("installation" in event) return event.installation;
  const repository = repositoryOf(event);
  const installation = world.installationOf(app, repository.owner);
  return installation && covers(installation, repository) && installation.suspendedAt === null
    ? installation
    : null;
}

function repositoryOf(event: Exclude<WorldEvent, { installation: unknown }>) {
  if ("pull" in event) return event.pull.repository;
  return event.type === "comment" ? event.comment.pull.repository : event.repository;
}
