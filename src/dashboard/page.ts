import { html } from "ghtml";
import { assetPath } from "./assets.ts";
import { ownSignInsPath } from "./paths.ts";

const liveScripts = ["htmx.min.js", "hx-sse.min.js"];

export interface Visit {
  /** Null = nobody has signed in. */
  readonly name: string | null;
  /** The sign-in page, which leads back to this page. */
  readonly signIn: string;
}

function renderVisit({ name, signIn }: Visit): string {
  if (name === null) return html` <a class="sign-in" href="${signIn}">Sign in</a>`;
  return html` <form method="post" action="/logout" class="sign-out"><a class="quiet" href="${ownSignInsPath}" title="Your sign-ins">${name}</a> <button class="quiet">Sign out</button></form>`;
}

const brand =
  '<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><path d="M6 22h20M6 22l7-10M26 22l-7-10M11 15h10M8.6 18.5h14.8"/></svg>Trainyard';
const links = '<nav aria-label="Main"><a href="/">Queues</a> <a href="/docs">API</a></nav>';

/** A page above this one. */
export interface Crumb {
  readonly path: string;
  readonly text: string;
}

export interface Frame {
  /** Only live pages need scripts. */
  readonly isLive?: boolean;
  /** The names of other scripts and styles that the page needs. */
  readonly assets?: readonly string[];
  /** Null = the page has no link for signing in. */
  readonly visit?: Visit | null;
  /** Whether the service has other pages; during the set-up it has none. */
  readonly hasLinks?: boolean;
  /** The text in the search field; null = the visitor may not search. */
  readonly search?: string | null;
  /** The pages above this one, the outermost first. */
  readonly crumbs?: readonly Crumb[];
  /** The result of the form that led to this page; null = there was none. */
  readonly result?: string | null;
}

/**
 * Renders a whole page. `body` is HTML that is already escaped. Scripts are not deferred: htmx would then process the page
 * before its extension is loaded a moment later, and the page would never update.
 */
export function renderPage(
  title: string,
  body: string,
  {
    isLive = true,
    assets = [],
    visit = null,
    hasLinks = true,
    search = null,
    crumbs = [],
    result = null,
  }: Frame = {},
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="htmx-config" content="includeIndicatorCSS:false">
<title>${title} · Trainyard</title>
<link rel="icon" href="!${assetPath("icon.svg")}">
!${["style.css", "administration.css"].map(linkStyle)}
!${isLive ? liveScripts.map((name) => html`<script src="!${assetPath(name)}"></script>`) : ""}
!${assets.map((name) => (name.endsWith(".css") ? linkStyle(name) : html`<script src="!${assetPath(name)}" defer></script>`))}
</head>
<body>
<header class="bar">!${hasLinks ? html`<a class="brand" href="/">!${brand}</a> !${links}` : html`<span class="brand">!${brand}</span>`}!${search === null ? "" : searchForm(search)}!${visit === null ? "" : renderVisit(visit)}</header>
!${crumbs.length === 0 ? "" : breadcrumbs(crumbs)}
!${result === null ? "" : html`<p class="result" role="status">${result}</p>`}
!${body}
</body>
</html>`;
}

function linkStyle(name: string): string {
  return html`<link rel="stylesheet" href="!${assetPath(name)}">`;
}

function searchForm(text: string): string {
  return html` <form class="find" role="search" method="get" action="/search"><input type="search" name="q" value="${text}" maxlength="200" placeholder="Search pull requests" aria-label="Search pull requests by number, title, author, branch, commit or tree"><button>Search</button></form>`;
}

function breadcrumbs(crumbs: readonly Crumb[]): string {
  const items = crumbs.map(({ path, text }) => html`<li><a href="${path}">${text}</a></li>`);
  return html`<nav class="crumbs" aria-label="Breadcrumbs"><ol>!${items}</ol></nav>`;
}
