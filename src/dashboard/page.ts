import { html } from "ghtml";
import { loginPath } from "./paths.ts";

const scripts = '<script src="/assets/htmx.min.js"></script>\n<script src="/assets/hx-sse.min.js"></script>';

/** Who looks at a page. `name` = null: nobody has signed in. `page`: the path that they see after signing in. */
export interface Visit {
  readonly name: string | null;
  readonly page: string;
}

function renderVisit({ name, page }: Visit): string {
  if (name === null)
    return html` <a class="sign-in" href="${loginPath}?next=${encodeURIComponent(page)}">Sign in</a>`;
  return html` <form method="post" action="/logout" class="sign-out"><span class="quiet">${name}</span> <button class="quiet">Sign out</button></form>`;
}

const links = '<a class="brand" href="/">Trainyard</a> <a class="quiet" href="/docs">API</a>';

/**
 * Renders a whole page. `body` is HTML that is already escaped. Only live pages need scripts. These are not deferred: htmx
 * would then process the page before its extension is loaded a moment later, and the page would never update.
 * @param options.visit null = the page says nothing about signing in
 * @param options.result what the form that led to this page has done; null = none led to it
 * @param options.hasLinks whether the service has other pages; during the set-up it has none
 */
export function renderPage(
  title: string,
  body: string,
  {
    isLive = true,
    hasLinks = true,
    visit = null,
    result = null,
  }: { isLive?: boolean; hasLinks?: boolean; visit?: Visit | null; result?: string | null } = {},
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="htmx-config" content="includeIndicatorCSS:false">
<title>${title} · Trainyard</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/style.css">
!${isLive ? scripts : ""}
</head>
<body>
<header class="bar">!${hasLinks ? links : '<span class="brand">Trainyard</span>'}!${visit === null ? "" : renderVisit(visit)}</header>
!${result === null ? "" : html`<p class="result" role="status">${result}</p>`}
!${body}
</body>
</html>`;
}
