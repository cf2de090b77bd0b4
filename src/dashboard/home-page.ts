import { html } from "ghtml";
import type { QueueAddress } from "../service/runtime/directory.ts";
import { nextStepsPath } from "./next-steps-page.ts";
import { testsPath } from "./paths.ts";
import { queuePath } from "./queue-page.ts";

export function renderHome(queues: readonly QueueAddress[]): string {
  const items = queues.map(
    (queue) =>
      html`<li><a href="${queuePath(queue)}">${queue.repo.owner}/${queue.repo.name}</a> <span class="branch">${queue.branch}</span> <a class="quiet" href="${testsPath(queue.repo)}">tests</a></li>`,
  );
  const list =
    items.length === 0
      ? html`<p class="empty">There is no queue yet. <a href="${nextStepsPath}">Next steps</a> shows how to create one.</p>`
      : html`<ul class="queues">!${items}</ul>`;
  return html`<main><section><h2>Queues</h2>!${list}</section></main>`;
}

/**
 * @param next the path of the page to show after signing in
 * @param scopes the scopes of a token that may see that page, separated by commas
 */
export function renderLogin(problem: string | null, next = "/", scopes = "read"): string {
  return html`<main><section class="login">
<h2>Sign in</h2>
<p>Sign in with an API token. An administrator of the service creates one with this command:</p>
<pre>npm run trainyard -- token create --organisation OWNER --scopes ${scopes}</pre>
!${problem === null ? "" : html`<p class="problem">${problem}</p>`}
<form method="post" action="/login"><input name="token" type="password" autocomplete="off" placeholder="ty_…" required autofocus><input name="next" type="hidden" value="${next}"><button>Sign in</button></form>
</section></main>`;
}

export function renderForeignForm(): string {
  return html`<main><section><h2>Refused</h2>
<p class="problem">This form was sent by a page of another site, so nothing was done (<code>FORM_OF_ANOTHER_SITE</code>). Open the <a href="/">dashboard</a> and send it there. Behind a proxy, set <code>TRAINYARD_PUBLIC_URL</code> to the address that people use.</p></section></main>`;
}
