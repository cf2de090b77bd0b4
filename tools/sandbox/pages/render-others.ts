import { html } from "ghtml";
import type { FileChange } from "../git/diff.ts";
import type { Commit } from "../git/git-object.ts";
import { type CheckRun, latestRuns } from "../world/checks/check.ts";
import type { Repository } from "../world/repository.ts";
import { renderChecks, safeLink } from "./render-checks.ts";
import { renderFiles } from "./render-files.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderState } from "./render-pull.ts";

/** The list of a repository's pull requests, newest first. */
export function renderPulls({ pulls, fullName }: Repository): string {
  const rows = [...pulls.values()].reverse().map(
    (pull) => html`<tr><td>#${pull.number}</td>
<td><a href="/${fullName}/pull/${pull.number}">${pull.title}</a></td><td class="quiet">${pull.author.login}</td>
<td>!${renderState(pull)}</td></tr>`,
  );
  const list =
    rows.length === 0 ? '<p class="quiet">No pull requests yet.</p>' : `<table>${rows.join("\n")}</table>`;
  return `<h1>Pull requests</h1>\n${list}`;
}

export function renderCommit(
  repository: Repository,
  { sha, message, author, parents, tree }: Commit,
  files: readonly FileChange[],
): string {
  const links = parents.map(
    (parent) => html`<a href="/${repository.fullName}/commit/${parent}">${parent.slice(0, 7)}</a>`,
  );
  return html`<h1>${message.split("\n")[0] ?? ""}</h1>
<p>Commit <code>${sha}</code> by ${author.name}, parents: !${links.join(", ") || "none"}, tree <code>${tree.slice(0, 7)}</code></p>
<pre>${message}</pre>
<h2>Checks</h2>
!${renderChecks(repository, sha)}
<h2>Files</h2>
!${renderFiles(files)}`;
}

/** The page of a check run, with what its App reported. */
export function renderCheck({ fullName }: Repository, run: CheckRun): string {
  const { name, status, conclusion, suite, output, detailsUrl } = run;
  const state = conclusion ?? status;
  const isCurrent = latestRuns(suite).includes(run);
  return html`<h1>${name} <span class="state ${state}">${state.replaceAll("_", " ")}</span></h1>
<p>By ${suite.app.name} on <a href="/${fullName}/commit/${suite.headSha}">${suite.headSha.slice(0, 7)}</a>${isCurrent ? "" : ". A later run has replaced it."}</p>
!${detailsUrl === null ? "" : html`<p><a href="${safeLink(detailsUrl)}">Details</a></p>`}
!${output.title === null ? "" : html`<h2>${output.title}</h2>`}
!${renderMarkdown(output.summary ?? "")}
!${renderMarkdown(output.text ?? "")}`;
}
