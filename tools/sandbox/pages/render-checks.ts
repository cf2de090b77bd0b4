import { html } from "ghtml";
import { latestRuns } from "../world/checks/check.ts";
import type { Repository } from "../world/repository.ts";

/** The checks and statuses of a commit, as a table. */
export function renderChecks(repository: Repository, sha: string): string {
  const runs = repository.suitesOf(sha).flatMap((suite) =>
    latestRuns(suite).map((run) => ({
      name: run.name,
      state: run.conclusion ?? run.status,
      by: suite.app.name,
      title: run.output.title ?? "",
      link: run.detailsUrl ?? `/${repository.fullName}/runs/${run.id}`,
    })),
  );
  const latest = new Map(repository.statusesOf(sha).map((status) => [status.context, status]));
  const statuses = [...latest.values()].map(({ context, state, creator, description, targetUrl }) => ({
    name: context,
    state,
    by: creator.login,
    title: description ?? "",
    link: targetUrl,
  }));
  const all = [...runs, ...statuses];
  if (all.length === 0) return '<p class="quiet">No check has reported yet.</p>';
  const rows = all.map(
    ({ name, state, by, title, link }) => html`<tr>
<td><span class="state ${state}">${state.replaceAll("_", " ")}</span></td>
<td>!${link === null ? html`${name}` : html`<a href="${safeLink(link)}">${name}</a>`}</td>
<td class="quiet">${by}</td>
<td>${title}</td></tr>`,
  );
  return `<table>${rows.join("\n")}</table>`;
}

/** A program may have reported any text as its address. */
export function safeLink(link: string): string {
  return /^(https?:\/\/|\/)/.test(link) ? link : "#";
}
