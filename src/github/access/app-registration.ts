import { createPrivateKey } from "node:crypto";
import type { RegisteredApp } from "../../ports/code-host/app.ts";
import type { AppClient, AppCredentials } from "../client/app-client.ts";
import { CodeHostError, messageOf, statusOf, toCodeHostError } from "../client/code-host-error.ts";

/** Shorter than for other calls, because the service is not ready before this call has ended. */
const patienceMs = 5_000;

/**
 * Reads the App's registration with GitHub, from `GET /app`.
 *
 * @param webUrl GitHub's web address: `https://github.com`
 */
export async function readAppRegistration(
  client: AppClient,
  { privateKey }: AppCredentials,
  webUrl: string,
  stop: AbortSignal,
): Promise<RegisteredApp | { readonly refused: string }> {
  if (!isKey(privateKey)) return { refused: "the private key cannot be read" };
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(patienceMs)]);
    const { data } = await client.app.rest.apps.getAuthenticated({ request: { signal } });
    if (data === null) throw new CodeHostError("unavailable", "GitHub did not return an App");
    const settingsUrl = `${webUrl}${ownerPath(data.owner)}/settings/apps/${data.slug}/permissions`;
    const { id, slug = "", events } = data;
    return { id, slug, permissions: grantedPermissions(data.permissions), events, settingsUrl };
  } catch (error) {
    const status = statusOf(error);
    if (status === 401 || status === 404)
      return { refused: `GET /app answered ${status}: ${messageOf(error)}` };
    throw toCodeHostError(error);
  }
}

/** Octokit's own error for a damaged key does not mention the key. */
function isKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
}

/** The permissions that GitHub's answer names with an access level. */
export function grantedPermissions(
  permissions: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(permissions).flatMap(([name, access]) => (access ? [[name, access]] : [])),
  );
}

/** The path of the settings of an owner's Apps. An enterprise has a slug and no login. */
export function ownerPath(owner: object): string {
  if (!("login" in owner)) return "slug" in owner ? `/enterprises/${owner.slug}` : "";
  return "type" in owner && owner.type === "Organization" ? `/organizations/${owner.login}` : "";
}
