import type { Octokit } from "@octokit/rest";
import type { AppFact, HookDelivery, HookFact, ServerFact } from "../../ports/code-host/doctor-facts.ts";
import { grantedPermissions, ownerPath } from "../access/app-registration.ts";
import { messageOf, statusOf } from "../client/code-host-error.ts";

/** @param app authenticates as the App, here and below */
export async function readApp(app: Octokit): Promise<AppFact> {
  try {
    const { data } = await app.rest.apps.getAuthenticated();
    if (data === null) return { kind: "refused", reason: "GET /app did not return an App" };
    const slug = data.slug ?? "";
    return {
      kind: "read",
      id: data.id,
      slug,
      permissions: grantedPermissions(data.permissions),
      events: data.events,
      settingsUrl: `${new URL(data.html_url).origin}${ownerPath(data.owner)}/settings/apps/${slug}`,
    };
  } catch (error) {
    const status = statusOf(error);
    if (status !== 401 && status !== 404) throw error;
    return { kind: "refused", reason: `GET /app answered ${status}: ${messageOf(error)}` };
  }
}

export async function readServer(app: Octokit): Promise<ServerFact> {
  const { headers } = await app.rest.apps.getAuthenticated();
  const told = headers as Readonly<Record<string, string | number | undefined>>;
  const date = Date.parse(String(told.date ?? ""));
  return {
    date: Number.isNaN(date) ? null : date,
    apiVersion: textOf(told["x-github-api-version-selected"]),
    enterpriseVersion: textOf(told["x-github-enterprise-version"]),
  };
}

function textOf(header: string | number | undefined): string | null {
  return header === undefined ? null : String(header);
}

/** https://docs.github.com/en/rest/apps/webhooks */
export async function readHook(app: Octokit): Promise<HookFact> {
  const { data } = await app.rest.apps.getWebhookConfigForApp();
  return { url: data.url || null };
}

export async function readDeliveries(app: Octokit): Promise<HookDelivery[]> {
  const { data } = await app.rest.apps.listWebhookDeliveries({ per_page: 100 });
  return data.map(({ guid, event, status, status_code: statusCode, delivered_at }) => ({
    guid,
    event,
    status,
    statusCode,
    at: Date.parse(delivered_at),
  }));
}
