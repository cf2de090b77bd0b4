import { html } from "ghtml";

const scripts = '<script src="/assets/htmx.min.js"></script>\n<script src="/assets/hx-sse.min.js"></script>';

const signOut =
  ' <form method="post" action="/logout" class="sign-out"><button class="quiet">Sign out</button></form>';

/**
 * A whole page. `body` is HTML that is escaped already. Only a live one needs scripts. These are not deferred: htmx would then look through the page
 * before an extension that comes a moment later is there, and the page would stay as it is.
 */
export function renderPage(title: string, body: string, { isLive = true, canSignOut = false } = {}): string {
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
<header class="bar"><a class="brand" href="/">Trainyard</a> <a class="quiet" href="/docs">API</a>!${canSignOut ? signOut : ""}</header>
!${body}
</body>
</html>`;
}
