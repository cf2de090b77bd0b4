import { html } from "ghtml";
import type { AppManifest } from "./app-manifest.ts";
import type { AddressProblem } from "./public-address.ts";

export interface SetupAddresses {
  /** The address to which GitHub sends the App's webhooks. */
  readonly webhook: string;
  /** The scheme and host from which the browser loaded this page. GitHub sends the browser back there. */
  readonly page: string;
}

export interface SetupLinks extends SetupAddresses {
  /** GitHub's page that creates an App. */
  readonly createApp: string;
  /** The state that GitHub sends back. */
  readonly state: string;
}

/**
 * Renders the page that sends the App's manifest to GitHub. It replaces Probot's page, which reads `app.yml` in the working
 * directory, and without that file creates a public App without permissions.
 */
export function renderSetupPage(
  manifest: AppManifest,
  { createApp, state, ...addresses }: SetupLinks,
): string {
  return renderPage(
    html`<p>Trainyard works as a GitHub App of your own. GitHub shows its name, which you can change, and creates it.</p>
<form action="${createApp}?state=${state}" method="post">
<button class="btn btn-primary" name="manifest" value="${JSON.stringify(toCreate(manifest, addresses))}">Create the GitHub App</button>
<a href="/probot/import" class="ml-2">or enter the credentials of one that exists</a>
</form>`,
  );
}

/** Renders the page that is shown instead while GitHub could not send webhooks to a new App. */
export function renderAddressPage({ code, problem }: AddressProblem): string {
  return renderPage(html`<p>${problem} (${code})</p>
<p><a href="/probot/import">Enter the credentials of an App that exists</a></p>`);
}

/** `body` is HTML that is escaped already. */
function renderPage(body: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set up Trainyard</title>
<link rel="icon" href="/probot/static/probot-head.svg">
<link rel="stylesheet" href="/probot/static/primer.css">
</head>
<body class="bg-gray-light">
<main class="container-md my-6 p-6 rounded-2 border bg-white">
<h1 class="mb-3">Set up Trainyard</h1>
!${body}
</main>
</body>
</html>`;
}

/** Adds the addresses of this service to the manifest, in place of any that it contains. */
function toCreate(manifest: AppManifest, { webhook, page }: SetupAddresses) {
  return {
    ...manifest,
    hook_attributes: { url: webhook, active: true },
    redirect_url: `${page}/probot/setup`,
  };
}
