import { AppClient } from "../../github/client/app-client.ts";
import { messageOf, statusOf } from "../../github/client/code-host-error.ts";
import { appSettings } from "../../settings/app-settings.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Log } from "../log.ts";

/** What somebody enters about an App that exists. */
export interface EnteredApp {
  readonly id: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
}

/**
 * Asks GitHub for the App with these credentials, so that a mistake is found while the form is open.
 *
 * @returns the path of the App's page on GitHub, and the private key as PEM; or the problem
 */
export async function readExistingApp(
  { github }: Settings,
  entered: EnteredApp,
  log: Log,
): Promise<{ readonly path: string; readonly privateKey: string } | { readonly problem: string }> {
  const { id, privateKey: PRIVATE_KEY, webhookSecret: WEBHOOK_SECRET } = entered;
  if (!/^[1-9]\d{0,14}$/.test(id)) return { problem: "The App ID must be a number." };
  const { app, issues } = appSettings({ APP_ID: id, PRIVATE_KEY, WEBHOOK_SECRET }, () => "");
  const [issue] = issues;
  if (issue) return { problem: `${issue.variable} ${issue.problem}.` };
  if (app === null) return { problem: "The private key and the webhook secret are missing." };
  const { apiUrl, restVersion } = github;
  const client = new AppClient({ appId: app.id, privateKey: app.privateKey, apiUrl, restVersion }, log);
  try {
    const { data } = await client.app.rest.apps.getAuthenticated();
    if (data === null) return { problem: `${github.host} did not return an App.` };
    return { path: new URL(data.html_url).pathname, privateKey: app.privateKey };
  } catch (error) {
    const status = statusOf(error);
    const cause = messageOf(error);
    if (status === 401 || status === 404)
      return { problem: `${github.host} knows no App with this ID and private key: ${cause}.` };
    return { problem: `${github.host} could not be asked for the App: ${cause}. Try again.` };
  }
}
