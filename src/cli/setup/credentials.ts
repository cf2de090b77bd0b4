import { appendFileSync, closeSync, fchmodSync, openSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { Octokit } from "@octokit/rest";
import { AppClient } from "../../github/client/app-client.ts";
import { messageOf, statusOf } from "../../github/client/code-host-error.ts";
import { RestVersionPin } from "../../github/client/rest-version.ts";
import { appSettings } from "../../settings/app-settings.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Log } from "../log.ts";

/** An App that GitHub has just created. */
interface CreatedApp {
  readonly id: number;
  /** PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
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
    const { client_id: clientId, client_secret: clientSecret } = data;
    const path = new URL(data.html_url).pathname;
    return { id, privateKey, webhookSecret, clientId, clientSecret, path };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

/** The entered data of an existing App. */
export interface EnteredApp {
  readonly id: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Empty = people sign in with tokens only. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Reads the App from GitHub with these credentials, so that a mistake is found while the form is open.
 *
 * @returns the path of the App's page on GitHub, and the private key as PEM; or the problem
 */
export async function readExistingApp(
  { github }: Settings,
  entered: EnteredApp,
  log: Log,
): Promise<{ readonly path: string; readonly privateKey: string } | { readonly problem: string }> {
  const { id, privateKey: PRIVATE_KEY, webhookSecret: WEBHOOK_SECRET } = entered;
  const { clientId: GITHUB_CLIENT_ID, clientSecret: GITHUB_CLIENT_SECRET } = entered;
  if (!/^[1-9]\d{0,14}$/.test(id)) return { problem: "The App ID must be a number." };
  const { app, issues } = appSettings(
    { APP_ID: id, PRIVATE_KEY, WEBHOOK_SECRET, GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET },
    () => "",
  );
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

/**
 * Appends variables to a settings file such as `.env`, which only its owner can read from then on. The last line of a name counts, so
 * existing lines need no change.
 *
 * @returns the problem of a value that the file cannot contain; null = saved
 */
export function saveVariables(path: string, variables: Readonly<Record<string, string>>): string | null {
  protectFile(path);
  const present = readFileSync(path, "utf8");
  const known = parseEnv(present);
  const missing = Object.entries(variables).filter(([name, value]) => known[name] !== value);
  const added = missing.map(([name, value]) => `${name}=${quote(value)}\n`).join("");
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  const read = parseEnv(added);
  for (const [name, value] of missing)
    if (read[name] !== value) return `${name} contains characters that ${path} cannot hold`;
  appendFileSync(path, gap + added);
  return null;
}

/** Line breaks are escaped in double quotes: Docker's `--env-file` does not support values with several lines. */
function quote(value: string): string {
  if (/^[\w./:@+=-]*$/.test(value)) return value;
  if (value.includes("\n") || !/["\\]/.test(value)) return `"${value.replaceAll("\n", "\\n")}"`;
  return `'${value}'`;
}

/** Restricts a file to its owner before anything secret is in it. Creates the file if it does not exist. */
function protectFile(path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    // The file may have existed, and the process's umask may remove more than it should.
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}
