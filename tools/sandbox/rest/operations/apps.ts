import { type Delivery, unpackBody } from "../../webhooks/hook-transport.ts";
import { type Access, grants, type Installation, type Permissions } from "../../world/account.ts";
import { coveredRepositories, covers } from "../../world/installations.ts";
import { paginate } from "../lookups.ts";
import type { Answer, Call, Handlers } from "../operation.ts";
import { notFound, Refusal, suspended } from "../refusal.ts";
import { renderApp, renderInstallation } from "../render/account.ts";
import { renderRepository } from "../render/repository.ts";
import { isoTime } from "../urls.ts";

type InstallationList = Extract<Answer<"apps/list-installations">, { status: 200 }>["body"];

function installationById(
  call: Call<"apps/get-installation" | "apps/create-installation-access-token">,
): Installation {
  const found = call.world.installations.find(
    (one) => one.id === call.path.installation_id && one.app === call.app,
  );
  if (found === undefined) throw notFound();
  return found;
}

/** Returns the requested permissions of a token, which the App must have. */
function narrowPermissions(
  installation: Installation,
  wanted: Record<string, string | undefined> | undefined,
): Permissions {
  if (wanted === undefined) return installation.permissions;
  const narrowed: Record<string, Access> = { metadata: "read" };
  for (const [name, level] of Object.entries(wanted)) {
    const access = level === "read" ? "read" : "write";
    if (!grants(installation.permissions, name, access)) {
      throw new Refusal(422, "The permissions requested are not granted to this installation.");
    }
    narrowed[name] = access;
  }
  return narrowed;
}

export const appOperations = {
  "apps/get-authenticated": ({ urls, app }) => ({ status: 200, body: renderApp(urls, app) }),

  "apps/get-by-slug": ({ world, urls, path }) => {
    const app = world.apps.find(({ slug }) => slug === path.app_slug);
    if (app === undefined) throw notFound();
    return { status: 200, body: renderApp(urls, app) };
  },

  "apps/list-installations": (call) => {
    const installations = call.world.installations.filter(({ app }) => app === call.app);
    const { page, headers } = paginate(call, installations);
    // In GitHub's description the account is a user or an enterprise, but its TypeScript type requires both at once.
    const body = page.map((one) => renderInstallation(call.urls, one)) as unknown as InstallationList;
    return { status: 200, body, headers };
  },

  "apps/get-installation": (call) => ({
    status: 200,
    body: renderInstallation(call.urls, installationById(call)),
  }),

  "apps/get-repo-installation": ({ world, urls, app, path }) => {
    const repository = world.repository(path.owner, path.repo);
    const installation = repository && world.installationOf(app, repository.owner);
    if (!installation || !covers(installation, repository)) throw notFound();
    return { status: 200, body: renderInstallation(urls, installation) };
  },

  "apps/create-installation-access-token": (call) => {
    const { world, urls, body } = call;
    const installation = installationById(call);
    if (installation.suspendedAt !== null) throw suspended();
    const all = coveredRepositories(world, installation);
    const names = body.repositories?.map((name) => name.toLowerCase());
    const chosen =
      names === undefined && body.repository_ids === undefined
        ? null
        : all.filter(
            ({ id, name }) => names?.includes(name.toLowerCase()) || body.repository_ids?.includes(id),
          );
    if (chosen !== null && chosen.length < new Set([...(names ?? []), ...(body.repository_ids ?? [])]).size) {
      throw new Refusal(
        422,
        "There is at least one repository that does not exist or is not accessible to the parent installation.",
      );
    }
    const permissions = narrowPermissions(installation, body.permissions);
    const only = chosen === null ? null : new Set(chosen.map(({ id }) => id));
    const { token, expiresAt } = call.authenticator.issueInstallationToken(installation, permissions, only);
    return {
      status: 201,
      body: {
        token,
        expires_at: isoTime(expiresAt),
        permissions: { ...permissions },
        repository_selection: chosen === null && installation.selected === null ? "all" : "selected",
        ...(chosen === null ? {} : { repositories: chosen.map((one) => renderRepository(urls, one)) }),
      },
    };
  },

  "apps/list-repos-accessible-to-installation": (call) => {
    const { caller, urls, world } = call;
    if (caller.kind !== "installation") throw new Refusal(403, "Resource not accessible by integration");
    const visible = coveredRepositories(world, caller.installation).filter(
      ({ id }) => caller.repositories?.has(id) ?? true,
    );
    const { page, headers } = paginate(call, visible);
    const repositories = page.map((one) => renderRepository(urls, one));
    const repository_selection = caller.repositories === null ? "all" : "selected";
    return {
      status: 200,
      body: { total_count: visible.length, repository_selection, repositories },
      headers,
    };
  },
} satisfies Handlers;

const renderItem = (delivery: Delivery) => ({
  id: delivery.id,
  guid: delivery.guid,
  delivered_at: isoTime(delivery.deliveredAt),
  redelivery: delivery.redelivery,
  duration: delivery.durationSeconds,
  status: delivery.status,
  status_code: delivery.statusCode,
  event: delivery.event,
  action: delivery.action,
  installation_id: delivery.installationId,
  repository_id: delivery.repositoryId,
  throttled_at: null,
});

function deliveryById(call: Call<"apps/get-webhook-delivery" | "apps/redeliver-webhook-delivery">): Delivery {
  const found = call.hook.deliveries.find(({ id }) => id === call.path.delivery_id);
  if (found === undefined) throw notFound();
  return found;
}

export const hookDeliveryOperations = {
  "apps/get-webhook-config-for-app": ({ hook }) => ({
    status: 200,
    body: {
      content_type: "json",
      insecure_ssl: "0",
      secret: "********",
      ...(hook.url === null ? {} : { url: hook.url }),
    },
  }),

  "apps/list-webhook-deliveries": ({ hook, query, url }) => {
    const before =
      query.cursor === undefined ? Number.POSITIVE_INFINITY : Number(query.cursor.replace(/^v1_/, ""));
    if (Number.isNaN(before)) throw new Refusal(422, "Invalid cursor");
    const size = Math.min(Math.max(query.per_page ?? 30, 1), 100);
    const matching = hook.deliveries
      .filter(({ id }) => id < before)
      .filter(({ succeeded }) => query.status === undefined || succeeded === (query.status === "success"))
      .sort((a, b) => b.id - a.id);
    const page = matching.slice(0, size);
    const next = new URL(url);
    next.searchParams.set("cursor", `v1_${page.at(-1)?.id}`);
    const headers: Record<string, string> = matching.length > size ? { link: `<${next}>; rel="next"` } : {};
    return { status: 200, body: page.map(renderItem), headers };
  },

  "apps/get-webhook-delivery": (call) => {
    const delivery = deliveryById(call);
    return {
      status: 200,
      body: {
        ...renderItem(delivery),
        url: delivery.url,
        request: { headers: { ...delivery.requestHeaders }, payload: JSON.parse(unpackBody(delivery)) },
        response: { headers: { ...delivery.responseHeaders }, payload: delivery.responseBody },
      },
    };
  },

  "apps/redeliver-webhook-delivery": (call) => {
    call.hook.redeliver(deliveryById(call));
    return { status: 202, body: {} };
  },
} satisfies Handlers;
