import { html } from "ghtml";

/**
 * A whole page. `body` is HTML that is escaped already. The scripts are not deferred: htmx would then look through the page
 * before an extension that comes a moment later is there, and the page would stay as it is.
 */
export function renderPage(title: string, body: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="htmx-config" content="includeIndicatorCSS:false">
<title>${title} · Trainyard</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/style.css">
<script src="/assets/htmx.min.js"></script>
<script src="/assets/hx-sse.min.js"></script>
</head>
<body>
<header class="bar"><a class="brand" href="/">Trainyard</a></header>
!${body}
</body>
</html>`;
}
