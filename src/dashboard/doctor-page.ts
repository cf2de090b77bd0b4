import { html } from "ghtml";
import type { Diagnosis } from "../service/doctor/doctor.ts";
import { type Finding, type Severity, severities } from "../service/doctor/finding.ts";
import type { QueueAddress } from "../service/runtime/directory.ts";
import { queuePath } from "./paths.ts";
import { type Row, renderTable } from "./table.ts";

export function doctorPath(queue: QueueAddress): string {
  return `${queuePath(queue)}/doctor`;
}

const columns = ["What", "Why it matters", "Seen", "What to do"].map((label) => ({
  ...{ label, kind: "words" as const },
}));
const headings: Readonly<Record<Severity, string>> = { error: "Errors", warning: "Warnings", note: "Notes" };

/** Renders the problems of a queue, worst first. */
export function renderDoctor(queue: QueueAddress, { findings, unexamined }: Diagnosis): string {
  const { repo, branch } = queue;
  const groups = severities.map((severity) => group(severity, findings));
  return html`
<main>
<section class="head">
  <h1>Doctor <span class="quiet">of ${repo.owner}/${repo.name}</span> <span class="branch">${branch}</span></h1>
  <p class="facts"><span><a href="${doctorPath(queue)}">examine again</a></span></p>
</section>
!${findings.length === 0 ? html`<section><p class="empty">Nothing is wrong.</p></section>` : html`!${groups}`}
!${unexamined.length === 0 ? "" : unknown(unexamined)}
</main>`;
}

function group(severity: Severity, findings: readonly Finding[]): string {
  const found = findings.filter((finding) => finding.severity === severity);
  if (found.length === 0) return "";
  return html`<section><h2>${headings[severity]} <span class="count">${found.length}</span></h2>
!${renderTable(columns, found.map(row))}</section>`;
}

function row({ code, title, cause, evidence, fix }: Finding): Row {
  return {
    cells: [
      html`${title} <small><code>${code}</code></small>`,
      html`${cause}`,
      html`${evidence}`,
      html`${fix.text}!${link(fix.url)}`,
    ],
  };
}

/** The code host supplies the address, so only http and https are linked. */
function link(url: string | null): string {
  if (url === null || !/^https?:\/\//i.test(url)) return "";
  return html`<br><a href="${url}" rel="noreferrer">Open the page</a>`;
}

function unknown(unexamined: Diagnosis["unexamined"]): string {
  const rows = unexamined.map(({ code, why }) => ({ cells: [html`<code>${code}</code>`, html`${why}`] }));
  return html`<section><h2>Not examined <span class="count">${unexamined.length}</span></h2>
!${renderTable([{ label: "What", kind: "main" }, "Why"], rows)}</section>`;
}
