import { html } from "ghtml";
import { stateOfToken, tokenScopes } from "../service/access/tokens.ts";
import type { AuditRecord } from "../store/access/audit-log.ts";
import type { TokenRecord, TokenScope } from "../store/access/token-store.ts";
import { tokensPath } from "./paths.ts";
import { renderTable } from "./table.ts";
import { renderAgo, renderDuration, renderTime } from "./times.ts";

/** What each scope permits. Tokens that may name others as the actor can be created only on the service's machine. */
const grantable: Readonly<Record<Exclude<TokenScope, "bot">, string>> = {
  read: "read queues, pull requests and tests; the dashboard",
  submit: "submit, cancel and restart pull requests",
  "queue:admin": "create, change and delete queues; quarantines",
  "tests:upload": "upload test results",
  admin: "everything, including webhooks, tokens and the audit log",
};

export function isGrantable(scope: string): scope is Exclude<TokenScope, "bot"> {
  return tokenScopes.some((one) => one === scope) && Object.hasOwn(grantable, scope);
}

export const longestName = 100;
export const mostDays = 36_500;
const endedShown = 50;

export interface TokensView {
  readonly organisation: string;
  /** Newest first. */
  readonly tokens: readonly TokenRecord[];
  /** The creation of each token, if the audit log still contains it. */
  readonly creations: ReadonlyMap<string, AuditRecord>;
  /** The token that the viewer has signed in with. */
  readonly ownId: string;
  readonly formToken: string;
  /** What was entered before, and what is wrong with it. */
  readonly entered: NewTokenForm;
  readonly problem: string | null;
  readonly now: number;
}

/** The form for a new token, as it was written. */
export interface NewTokenForm {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: string;
}

export const emptyForm: NewTokenForm = { name: "", scopes: ["read"], days: "90" };

/** Identifies the state of the list in which a form is shown, by the newest token. So a form that is sent twice creates no second token. */
export function newestOf(tokens: readonly TokenRecord[]): string {
  return tokens[0]?.id ?? "";
}

const columns = [
  { label: "Token", kind: "main" },
  "Scopes",
  "Created",
  { label: "Last used", kind: "time" },
  { label: "Ends", kind: "time" },
] as const;

export function renderTokens(view: TokensView): string {
  const { organisation, tokens, now } = view;
  const [valid, ended] = [true, false].map((isValid) =>
    tokens.filter((token) => (stateOfToken(token, now) === "valid") === isValid),
  ) as [TokenRecord[], TokenRecord[]];
  return html`<main>
<h1>API tokens <span class="quiet">of ${organisation}</span> <span class="count">${valid.length}</span></h1>
<p class="quiet">What programs sign in with. Only a digest of each secret is stored. The audit log records who creates and revokes tokens.</p>
!${
    valid.length === 0
      ? html`<p class="empty">There is no valid token. Create one below.</p>`
      : renderTable(
          [...columns, { label: "Action", kind: "number" }],
          valid.map((token) => ({ cells: cellsOf(token, view) })),
        )
  }
!${creationForm(view)}
!${
    ended.length === 0
      ? ""
      : html`<details><summary>${ended.length} expired or revoked</summary>!${renderTable(
          columns,
          ended.slice(0, endedShown).map((token) => ({ cells: cellsOf(token, view).slice(0, -1) })),
        )}!${ended.length > endedShown ? html`<p class="quiet">Only the newest ${endedShown} are shown.</p>` : ""}</details>`
  }
</main>`;
}

function cellsOf(
  token: TokenRecord,
  { creations, ownId, formToken, organisation, now }: TokensView,
): string[] {
  const { id, name, scopes, createdAt, lastUsedAt } = token;
  const creation = creations.get(id);
  const by = creation ? html` by <bdi>${creation.actor.name}</bdi>` : "";
  return [
    html`<span class="long"><bdi>${name}</bdi></span>!${id === ownId ? html` <span class="tag">yours now</span>` : ""}<small><code>${id}</code></small>`,
    html`<span class="long">${scopes.join(", ")}</span>`,
    html`!${renderAgo(createdAt, now)}!${by}`,
    lastUsedAt === null ? html`<span class="quiet">never</span>` : renderAgo(lastUsedAt, now),
    endOf(token, now),
    html`<form method="post" action="${tokensPath(organisation)}"><input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="id" value="${id}"><button class="button secondary" name="action" value="revoke" aria-label="Revoke ${name}">Revoke</button></form>`,
  ];
}

function endOf({ revokedAt, expiresAt }: TokenRecord, now: number): string {
  if (revokedAt !== null)
    return html`<span class="state failed">revoked</span> !${renderAgo(revokedAt, now)}`;
  if (expiresAt === null) return html`<span class="quiet">never</span>`;
  return expiresAt <= now
    ? html`<span class="state">expired</span> !${renderAgo(expiresAt, now)}`
    : renderTime(expiresAt, `in ${renderDuration(expiresAt - now)}`);
}

function creationForm({ organisation, tokens, formToken, entered, problem }: TokensView): string {
  const boxes = Object.entries(grantable).map(
    ([scope, meaning]) =>
      html`<label class="box"><input type="checkbox" name="scope" value="${scope}"!${entered.scopes.includes(scope) ? " checked" : ""}> <code>${scope}</code> <span class="quiet">${meaning}</span></label>`,
  );
  return html`<section><h2>New token</h2>
!${problem === null ? "" : html`<p class="problem" role="alert">${problem}</p>`}
<form class="entry" method="post" action="${tokensPath(organisation)}">
<input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="newest" value="${newestOf(tokens)}">
<label>Name <input name="name" value="${entered.name}" maxlength="${longestName}" placeholder="ci" autocomplete="off" required></label>
<fieldset><legend>Scopes</legend>!${boxes}</fieldset>
<label>Ends after days <input name="days" type="number" min="1" max="${mostDays}" value="${entered.days}" placeholder="empty = never"></label>
<button name="action" value="create">Create the token</button>
</form></section>`;
}

export function renderNewToken({ organisation, name }: TokenRecord, token: string): string {
  return html`<main><section>
<h1>The new token</h1>
<p class="long"><bdi>${name}</bdi>. Copy it now: it is not shown again.</p>
<pre>${token}</pre>
<p><a href="${tokensPath(organisation)}">Back to the tokens</a></p>
</section></main>`;
}

/** Renders the page that says what a revocation does, and asks whether it is wanted. */
export function renderRevocation(
  token: TokenRecord,
  { formToken, ownId, now }: Pick<TokensView, "formToken" | "ownId" | "now">,
): string {
  const { id, name, organisation, lastUsedAt } = token;
  const path = tokensPath(organisation);
  const used =
    lastUsedAt === null ? "It was never used." : `It was last used ${renderDuration(now - lastUsedAt)} ago.`;
  const own = id === ownId ? " You have signed in with it, so this also signs you out." : "";
  return html`<main><section>
<h1>Revoke this token?</h1>
<p class="long"><bdi>${name}</bdi> <code>${id}</code></p>
<form class="choice" method="post" action="${path}">
<input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="action" value="revoke"><input type="hidden" name="id" value="${id}">
<p class="price">Whatever uses it is refused from now on. That cannot be undone. ${used}${own}</p>
<button name="confirmed" value="yes">Yes, revoke the token</button> <a class="back" href="${path}">Back, change nothing</a>
</form>
</section></main>`;
}
