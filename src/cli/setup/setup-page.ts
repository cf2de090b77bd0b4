import { html } from "ghtml";
import { renderPage } from "../../dashboard/page.ts";
import type { AppManifest } from "../app-manifest.ts";

export const setupPath = "/setup";
export const createdPath = "/setup/created";
export const existingPath = "/setup/existing";

/** What the page shows, and what it sends to GitHub. */
export interface SetupFacts {
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

/** Renders the permissions of the App as a table. */
export function renderPermissions({ default_permissions }: AppManifest): string {
  const rows = Object.entries(default_permissions).map(
    ([name, access]) =>
      html`<tr><td>${labelOf(name)}</td><td>${access === "write" ? "read and write" : access}</td><td>${permissionReasons[name] ?? ""}</td></tr>`,
  );
  return html`<table class="permissions"><thead><tr><th>Permission</th><th>Access</th><th>Why</th></tr></thead><tbody>!${rows}</tbody></table>`;
}

/** Renders a page of the set-up. `body` is HTML that is escaped already. */
export function renderSetup(body: string): string {
  return renderPage("Set-up", html`<main class="steps">!${body}</main>`, { isLive: false, hasLinks: false });
}

/** GitHub's pages call `statuses` so. */
function labelOf(permission: string): string {
  if (permission === "statuses") return "Commit statuses";
  const words = permission.replaceAll("_", " ");
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

function renderOwner(facts: SetupFacts, owner: Owner, state: string): string {
  const problem = "problem" in owner ? html`<p class="problem">${owner.problem}</p>` : "";
  const organisation = "problem" in owner ? null : owner.organisation;
  const creation = creationAddress(facts.webUrl, organisation);
  const manifest = JSON.stringify(toCreate(facts));
  const where = organisation === null ? "in your personal account" : `in ${organisation}`;
  const other =
    organisation === null ? "" : html` <a href="${setupPath}?organisation=">or in your personal account</a>`;
  return html`!${problem}
<form method="get" action="${setupPath}" class="choice"><label>An organisation <input name="organisation" value="${organisation ?? ""}" placeholder="acme" autocomplete="off" spellcheck="false"></label> <button class="secondary">Choose</button></form>
<form action="${creation}?state=${state}" method="post" class="choice"><button name="manifest" value="${manifest}">Create the GitHub App ${where}</button>!${other}</form>`;
}

function creationAddress(webUrl: string, organisation: string | null): string {
  const owner = organisation === null ? "" : `/organizations/${encodeURIComponent(organisation)}`;
  return `${webUrl}${owner}/settings/apps/new`;
}

/** Adds the addresses of this service to the manifest, in place of any that it contains. */
function toCreate({ manifest, webhook, page, nextSteps }: SetupFacts) {
  return {
    ...manifest,
    hook_attributes: { url: webhook, active: true },
    redirect_url: `${page}${createdPath}`,
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
  metadata: "Reads repositories, and what each user may do in them.",
  pull_requests: "Reads and merges pull requests.",
  statuses: "Reads commit statuses that CI reports.",
  workflows: "Merges pull requests that change workflow files. Without it, only those are refused.",
};
