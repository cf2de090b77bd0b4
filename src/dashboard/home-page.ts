import { html } from "ghtml";

/**
 * @param next the path of the page to show after signing in
 * @param scopes the scopes of a token that may see that page, separated by commas
 */
export function renderLogin(problem: string | null, next = "/", scopes = "read"): string {
  return html`<main><section class="login">
<h1>Sign in</h1>
<p>Sign in with an API token. An administrator of the service creates one with this command:</p>
<pre>npm run trainyard -- token create --organisation OWNER --scopes ${scopes}</pre>
!${problem === null ? "" : html`<p class="problem">${problem}</p>`}
<form method="post" action="/login"><input name="token" type="password" aria-label="API token" autocomplete="off" placeholder="ty_…" required autofocus><input name="next" type="hidden" value="${next}"><button>Sign in</button></form>
</section></main>`;
}

export function renderForeignForm(): string {
  return html`<main><section><h1>Refused</h1>
<p class="problem">This form was sent by a page of another site, so nothing was done (<code>FORM_OF_ANOTHER_SITE</code>). Open the <a href="/">dashboard</a> and send it there. Behind a proxy, set <code>TRAINYARD_PUBLIC_URL</code> to the address that people use.</p></section></main>`;
}
