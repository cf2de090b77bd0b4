import { html } from "ghtml";

/** What the steps after the set-up depend on. None of it is secret. */
export interface NextStepsFacts {
  /** GitHub's address for browsers. */
  readonly webUrl: string;
  readonly testBranchPrefix: string;
  readonly commandPrefix: string;
}

export const nextStepsPath = "/setup/next";

/** Returns the address of the page with the steps for an App. */
export function nextStepsOf(appPath: string): string {
  return `${nextStepsPath}?${new URLSearchParams({ app: appPath })}`;
}

/**
 * Renders the steps from the set-up to the first merge.
 * @param query `app` is the path of the App's page on GitHub. GitHub adds `setup_action` when it sends the browser back here
 *   after an installation
 */
export function renderNextSteps(facts: NextStepsFacts, query: unknown): string {
  const { app, setup_action: action } = query as Record<string, unknown>;
  const { webUrl, testBranchPrefix, commandPrefix } = facts;
  return html`<main class="steps">
<h1>Next steps</h1>
<p>Trainyard has the credentials of its GitHub App, and uses them already: there is no need to restart it.</p>
<ol>
<li><h2>Install the App on your repositories</h2>
!${installation(webUrl, app, action)}</li>
<li><h2>Run CI on the test branches</h2>
<p>Trainyard pushes each test to a branch of its own. Add this to the workflows that have to pass:</p>
<pre>on:
  push:
    branches: ["${testBranchPrefix}**"]</pre></li>
<li><h2>Create the first queue</h2>
<p>On the machine of the service, in the directory from which you started it:</p>
<pre>npx trainyard queue create OWNER/NAME@BRANCH</pre>
<p class="quiet">In the container: <code>docker compose exec trainyard node /app/bin/trainyard.js queue create OWNER/NAME@BRANCH</code>.</p></li>
<li><h2>Merge</h2>
<p>Comment <code>${commandPrefix} merge</code> on a pull request. <code>${commandPrefix} help</code> lists the other commands.</p></li>
</ol>
</main>`;
}

function installation(webUrl: string, app: unknown, action: unknown): string {
  if (action === "request")
    return html`<p>GitHub has asked an owner of the organisation to install the App. Go on when the owner has approved it.</p>`;
  if (action === "install" || action === "update") return html`<p class="proof">The App is installed.</p>`;
  // Anybody can write the address of this page, so the link leads to GitHub, and only to an App.
  const path = typeof app === "string" && /^\/(github-)?apps\/[\w-]+$/.test(app) ? app : null;
  const link =
    path === null
      ? html`<p>Open the App on <a href="${webUrl}/settings/apps">GitHub</a>, and choose <em>Install App</em>.</p>`
      : html`<p><a class="button" href="${webUrl}${path}/installations/new">Install on repositories</a></p>`;
  return html`!${link}<p>GitHub asks for which repositories. You can change the choice there at any time.</p>`;
}
