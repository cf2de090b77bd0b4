import { html } from "ghtml";
import type { AppManifest } from "../app-manifest.ts";
import { existingPath, renderPermissions, renderSetup, setupPath } from "./setup-page.ts";

export interface ExistingAppFacts {
  readonly manifest: AppManifest;
  /** The address to which GitHub sends webhooks. */
  readonly webhook: string;
}

/**
 * Renders the form for the credentials of an App that exists.
 * @param id what was entered before; secrets are not repeated
 */
export function renderExistingAppPage(
  { manifest, webhook }: ExistingAppFacts,
  { id = "", problem = null }: { id?: string; problem?: string | null } = {},
): string {
  return renderSetup(html`<h1>Use an existing App</h1>
<p>The App's settings page on GitHub has the values below. Set there:</p>
<ul>
<li>the webhook URL: <code>${webhook}</code>, active</li>
<li>a webhook secret</li>
<li>the permissions of the table, and these events: !${manifest.default_events.map((event, index) => html`!${index === 0 ? "" : ", "}<code>${event}</code>`)}</li>
</ul>
!${problem === null ? "" : html`<p class="problem">${problem}</p>`}
<form method="post" action="${existingPath}" class="entry">
<label>App ID <input name="id" value="${id}" inputmode="numeric" autocomplete="off" required></label>
<label>Private key <textarea name="private_key" rows="6" autocomplete="off" spellcheck="false" placeholder="-----BEGIN RSA PRIVATE KEY-----" required></textarea></label>
<label>Webhook secret <input name="webhook_secret" type="password" autocomplete="off" required></label>
<button>Save and start</button>
</form>
<p class="quiet">Or <a href="${setupPath}">create an App</a>.</p>
!${renderPermissions(manifest)}`);
}
