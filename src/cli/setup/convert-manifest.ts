import { Octokit } from "@octokit/rest";
import { messageOf } from "../../github/client/code-host-error.ts";
import { RestVersionPin } from "../../github/client/rest-version.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Log } from "../log.ts";

/** An App that GitHub has just created. */
export interface CreatedApp {
  readonly id: number;
  /** PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** The path of its page on GitHub. */
  readonly path: string;
}

/**
 * Gets the credentials of an App that was created from a manifest. The code works once.
 * https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
 */
export async function convertManifest(
  { apiUrl, restVersion }: Settings["github"],
  code: string,
  log: Log,
): Promise<CreatedApp | { readonly refused: string }> {
  const silent = () => {};
  const octokit = new Octokit({
    baseUrl: apiUrl,
    userAgent: "trainyard",
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  new RestVersionPin(restVersion, log).pin(octokit);
  try {
    const { data } = await octokit.rest.apps.createFromManifest({ code });
    if (!data.webhook_secret) return { refused: "the App has no webhook secret" };
    const { id, pem: privateKey, webhook_secret: webhookSecret } = data;
    return { id, privateKey, webhookSecret, path: new URL(data.html_url).pathname };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}
