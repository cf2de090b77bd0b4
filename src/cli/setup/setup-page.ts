import { html } from "ghtml";
import { renderPage } from "../../dashboard/page.ts";
import { callbackPath } from "../../dashboard/paths.ts";
import type { AppManifest } from "../app-manifest.ts";
import type { SetupRefusal } from "./setup-guard.ts";

export const setupPath = "/setup";
export const createPath = "/setup/create";
export const createdPath = "/setup/created";
export const existingPath = "/setup/existing";

/** What the page shows, and what it sends to GitHub. */
interface SetupFacts {
  readonly manifest: AppManifest;
  /** GitHub's address for browsers. */
  readonly webUrl: string;
  /** The address to which GitHub sends the App's webhooks. */
  readonly webhook: string;
  /** The scheme and host from which the browser loaded this page. GitHub sends the browser back there. */
  readonly page: string;
  /** Where GitHub sends the browser after an installation of the App. */
  readonly nextSteps: string;
}

/** The owner of the App: an organisation, or null = the personal account of the person who creates it. */
export type Owner = { readonly organisation: string | null } | { readonly problem: string };

/** Asks for the setting `TRAINYARD_PUBLIC_PAGES`. */
const publicPagesField = html`<label class="box"><input type="checkbox" name="public_pages" value="true"> Let anyone read the pages of queues in <em>public</em> repositories, without signing in, with everything that has happened in these queues, also while a repository was private. Administrators can turn that off for each queue.</label>`;

/** Renders the page that sends the App's manifest to GitHub. */
export function renderSetupPage(facts: SetupFacts, owner: Owner, state: string): string {
  const { manifest, webUrl, webhook } = facts;
  return renderSetup(html`<h1>Set up Trainyard</h1>
<p>Trainyard works as a GitHub App of your own. GitHub creates it, and gives its credentials only to this service.</p>
<h2>Addresses</h2>
<table class="plain"><tbody>
<tr><th>Public address</th><td>${new URL(webhook).origin}</td></tr>
<tr><th>Webhooks</th><td>GitHub sends them to ${webhook}</td></tr>
<tr><th>GitHub</th><td>${webUrl}</td></tr>
</tbody></table>
<p class="quiet">If an address is wrong, stop Trainyard, set <code>TRAINYARD_PUBLIC_URL</code> or <code>GHE_HOST</code>, and start it again.</p>
<h2>What the App may do, and why</h2>
!${renderPermissions(manifest)}
<h2>Who owns the App</h2>
<p>Choose the account that owns your repositories: the App can be installed only there.</p>
!${renderOwner(facts, owner, state)}
<p class="quiet">Or <a href="${existingPath}">use an existing App</a>.</p>`);
}

function renderPermissions({ default_permissions }: AppManifest): string {
  const rows = Object.entries(default_permissions).map(
    ([name, access]) =>
      html`<tr><td>${labelOf(name)}</td><td>${access === "write" ? "read and write" : access}</td><td>${permissionReasons[name] ?? ""}</td></tr>`,
  );
  return html`<table class="permissions"><thead><tr><th>Permission</th><th>Access</th><th>Why</th></tr></thead><tbody>!${rows}</tbody></table>`;
}

/** Renders a page of the set-up. `body` is HTML that is escaped already. */
function renderSetup(body: string): string {
  return renderPage("Set-up", html`<main class="steps">!${body}</main>`, { isLive: false, hasLinks: false });
}

/** GitHub's pages use this name for `statuses`. */
function labelOf(permission: string): string {
  if (permission === "statuses") return "Commit statuses";
  const words = permission.replaceAll("_", " ");
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

function renderOwner(facts: SetupFacts, owner: Owner, state: string): string {
  const problem = "problem" in owner ? html`<p class="problem">${owner.problem}</p>` : "";
  const organisation = "problem" in owner ? null : owner.organisation;
  const manifest = JSON.stringify(toCreate(facts));
  const where = organisation === null ? "in your personal account" : `in ${organisation}`;
  const other =
    organisation === null ? "" : html` <a href="${setupPath}?organisation=">or in your personal account</a>`;
  return html`!${problem}
<form method="get" action="${setupPath}" class="choice"><label>An organisation <input name="organisation" value="${organisation ?? ""}" placeholder="acme" autocomplete="off" spellcheck="false"></label> <button class="secondary">Choose</button></form>
<form action="${createPath}?${new URLSearchParams({ state, organisation: organisation ?? "" })}" method="post" class="choice">!${publicPagesField} <button name="manifest" value="${manifest}">Create the GitHub App ${where}</button>!${other}</form>`;
}

/** Where GitHub takes the manifest of a new App. */
export function creationAddress(webUrl: string, organisation: string | null): string {
  const owner = organisation === null ? "" : `/organizations/${encodeURIComponent(organisation)}`;
  return `${webUrl}${owner}/settings/apps/new`;
}

/** Adds the addresses of this service to the manifest, and replaces existing ones. */
function toCreate({ manifest, webhook, page, nextSteps }: SetupFacts) {
  return {
    ...manifest,
    hook_attributes: { url: webhook, active: true },
    redirect_url: `${page}${createdPath}`,
    callback_urls: [new URL(callbackPath, nextSteps).href],
    setup_url: nextSteps,
  };
}

/** Why the App asks for each permission of `app.yml`. The set-up page shows it. */
export const permissionReasons: Readonly<Record<string, string>> = {
  actions:
    "Runs failed jobs again when only known flaky tests failed, and cancels runs whose result is no longer needed. Checks the runs that pull requests from forks name instead of a token.",
  checks: "Shows the state in the queue as a check, and reads the checks that CI reports.",
  contents: "Builds test branches and merges.",
  issues:
    "Answers commands in one comment per pull request. Opens issues about flaky tests if you turn that on.",
  members:
    "Reads who owns the organisation, so that its owners can use the pages of API tokens and webhooks. Without it, these pages need an API token.",
  metadata: "Reads repositories, and what each user may do in them.",
  pull_requests: "Reads and merges pull requests.",
  statuses: "Reads commit statuses that CI reports.",
  workflows: "Merges pull requests that change workflow files. Without it, only those are refused.",
};

interface ExistingAppFacts {
  readonly manifest: AppManifest;
  /** The scheme and host of this service for browsers. */
  readonly page: string;
  /** The address to which GitHub sends webhooks. */
  readonly webhook: string;
}

/**
 * Renders the form for the credentials of an App that exists.
 * @param id what was entered before; secrets are not repeated
 */
export function renderExistingAppPage(
  { manifest, webhook, page }: ExistingAppFacts,
  { id = "", problem = null }: { id?: string; problem?: string | null } = {},
): string {
  return renderSetup(html`<h1>Use an existing App</h1>
<p>The App's settings page on GitHub has the values below. Set there:</p>
<ul>
<li>the webhook URL: <code>${webhook}</code>, active</li>
<li>a webhook secret</li>
<li>the callback URL: <code>${page}${callbackPath}</code>, so that people can sign in with GitHub</li>
<li>the permissions of the table, and these events: !${manifest.default_events.map((event, index) => html`!${index === 0 ? "" : ", "}<code>${event}</code>`)}</li>
</ul>
!${problem === null ? "" : html`<p class="problem">${problem}</p>`}
<form method="post" action="${existingPath}" class="entry">
<label>App ID <input name="id" value="${id}" inputmode="numeric" autocomplete="off" required></label>
<label>Private key <textarea name="private_key" rows="6" autocomplete="off" spellcheck="false" placeholder="-----BEGIN RSA PRIVATE KEY-----" required></textarea></label>
<label>Webhook secret <input name="webhook_secret" type="password" autocomplete="off" required></label>
<label>Client ID <input name="client_id" autocomplete="off" placeholder="optional: people sign in with GitHub"></label>
<label>Client secret <input name="client_secret" type="password" autocomplete="off" placeholder="optional"></label>
!${publicPagesField}
<button>Save and start</button>
</form>
<p class="quiet">Or <a href="${setupPath}">create an App</a>.</p>
!${renderPermissions(manifest)}`);
}

const texts: Record<SetupRefusal, string> = {
  SETUP_TOKEN_NEEDED:
    "Trainyard is not set up yet. Open the address that its log shows: it contains a one-time token.",
  SETUP_TOKEN_USED:
    "The one-time token has been used. Continue in the browser that used it. If that was not yours, start Trainyard again.",
  SETUP_STATE_MISMATCH:
    "This App was not created from the set-up page that is open, so it was not saved. Open the set-up and create the App there.",
  SETUP_EXPIRED:
    "The set-up was open for an hour. Start Trainyard again, and open the address that its log shows.",
  SETUP_DONE: "The credentials are saved, and the set-up is over. Trainyard starts with them now.",
};

/** Renders why a request may not use the set-up. */
export function renderRefusal(code: SetupRefusal): string {
  const back = code === "SETUP_STATE_MISMATCH" ? html`<p><a href="${setupPath}">Open the set-up</a></p>` : "";
  return renderSetup(html`<h1>Set-up</h1><p>${texts[code]} (<code>${code}</code>)</p>!${back}`);
}

/** Renders why GitHub did not return the credentials of the new App. */
export function renderCodeRefused(why: string): string {
  return renderSetup(html`<h1>Set-up</h1>
<p>GitHub did not answer the App's credentials: ${why}. Create the App again, or enter its credentials by hand. (<code>SETUP_CODE_REFUSED</code>)</p>
<p><a href="${setupPath}">Open the set-up</a></p>`);
}

/** Renders a request that cannot be answered, such as one for a page that does not exist. */
export function renderFailure(status: number): string {
  const what =
    status >= 500
      ? "The set-up failed. Trainyard's log says why."
      : "The set-up does not understand this request.";
  return renderSetup(html`<h1>Set-up</h1><p>${what}</p><p><a href="${setupPath}">Open the set-up</a></p>`);
}
