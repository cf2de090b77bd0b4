import { html } from "ghtml";
import type { Repository } from "../world/repository.ts";

/** Renders a whole page. `body` is HTML that is already escaped. `nonce` is the one of the content security policy. */
export function renderPage(
  { title, repository, script = "" }: { title: string; repository: Repository | null; script?: string },
  body: string,
  nonce: string,
): string {
  const name = repository?.fullName ?? "";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">!${style}</style>
</head>
<body>
<header>Local GitHub · <a href="/${name}">${name}</a></header>
<main>
!${body}
</main>
!${script === "" ? "" : `<script nonce="${nonce}">${script}</script>`}
</body>
</html>`;
}

const style = `
body { margin: 0; color: #1f2328; background: #fff; font: 15px/1.5 system-ui, sans-serif; }
header { padding: 10px 24px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; }
main { max-width: 900px; margin: 0 auto; padding: 16px 24px 64px; }
a { color: #0969da; } code, pre { font: 13px/1.45 ui-monospace, monospace; }
h1 { font-size: 24px; font-weight: 500; } h2 { margin-top: 32px; font-size: 17px; }
.number, .quiet { color: #59636e; }
.state { padding: 3px 10px; border-radius: 999px; color: #fff; background: #59636e; font-size: 13px; }
.open, .success { background: #1a7f37; } .merged { background: #8250df; } .closed, .failure { background: #cf222e; }
.comment { margin: 14px 0; border: 1px solid #d1d9e0; border-radius: 6px; }
.comment > .by { padding: 6px 14px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; }
.comment > .text { padding: 2px 14px; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; } td, th { padding: 5px 10px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #eaeef2; }
pre { padding: 10px; overflow-x: auto; background: #f6f8fa; border-radius: 6px; }
.added { color: #116329; } .removed { color: #a0111f; }
textarea { box-sizing: border-box; width: 100%; padding: 8px; font: 14px/1.5 ui-monospace, monospace; }
button, select { padding: 5px 12px; font: inherit; } button { color: #fff; background: #1a7f37; border: 0; border-radius: 6px; }
.problem { color: #a0111f; }
`;
