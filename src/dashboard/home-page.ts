import { html } from "ghtml";
import { signInPath } from "./paths.ts";

export interface Login {
  readonly problem?: string | null;
  /** The path of the page to show after signing in. */
  readonly next: string;
  /** The scopes of a token that may see that page, separated by commas. */
  readonly scopes?: string;
  /** Whether people can sign in with their GitHub account. */
  readonly hasGitHub: boolean;
}

export function renderLogin({ problem = null, next, scopes = "read", hasGitHub }: Login): string {
  const form = html`<form method="post" action="/login"><input name="token" type="password" autocomplete="off" placeholder="ty_…" aria-label="API token" required!${hasGitHub ? "" : " autofocus"}><input name="next" type="hidden" value="${next}"><button!${hasGitHub ? ' class="secondary"' : ""}>Sign in!${hasGitHub ? " with a token" : ""}</button></form>`;
  const command = html`<pre>npx trainyard token create --organisation OWNER --scopes ${scopes}</pre>`;
  return html`<main><section class="login">
<h1>Sign in</h1>
!${problem === null ? "" : html`<p class="problem">${problem}</p>`}
!${
    hasGitHub
      ? html`<p>You see the repositories that GitHub shows to you, and may change the queues of those that you administer.</p>
<p><a class="button" href="${signInPath}?next=${encodeURIComponent(next)}">Sign in with GitHub</a></p>
<details><summary>Sign in with an API token instead</summary>
<p>An administrator of the service creates one with this command:</p>
!${command}
!${form}</details>`
      : html`<p>Sign in with an API token. An administrator of the service creates one with this command:</p>
!${command}
!${form}`
  }
</section></main>`;
}

export function renderUnknownRole(): string {
  return html`<main><section><h1>GitHub does not answer</h1>
<p class="problem">GitHub does not say what you may see, so nothing is shown (<code>ROLE_UNKNOWN</code>). Reload the page in a minute.</p></section></main>`;
}

export function renderUnknownRoles(): string {
  return html`<p class="problem">GitHub does not say whether you may see some repositories, so they are missing here (<code>ROLE_UNKNOWN</code>). Reload the page in a minute.</p>`;
}

export function renderForbidden(code: "PERMISSION_TOO_LOW" | "SCOPE_MISSING"): string {
  const need =
    code === "SCOPE_MISSING"
      ? "Your token lacks the scope for this: queue:admin for the queue, submit for pull requests."
      : "Administrators of the repository may do this. Authors may do it with their own pull requests if they may use commands on them.";
  return html`<main><section><h1>Refused</h1>
<p class="problem">${need} Nothing was done (<code>${code}</code>). <a href="/">Back to the queues</a></p></section></main>`;
}

export function renderForeignForm(): string {
  return html`<main><section><h1>Refused</h1>
<p class="problem">This form was sent by a page of another site, or your session has ended since it was shown, so nothing was done (<code>FORM_OF_ANOTHER_SITE</code>). Open the <a href="/">dashboard</a> and send it there. Behind a proxy, set <code>TRAINYARD_PUBLIC_URL</code> to the address that people use.</p></section></main>`;
}
