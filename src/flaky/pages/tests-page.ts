import { html } from "ghtml";
import { testsPath } from "../../dashboard/paths.ts";
import { renderTable } from "../../dashboard/table.ts";
import { renderAgo } from "../../dashboard/times.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { costWindow } from "../failure/test-cost.ts";
import type { Cause, FoundTests } from "../service/test-reader.ts";
import type { TestState } from "../store/reads/test-records.ts";
import {
  outsideLegend,
  renderCiTime,
  renderFailedRuns,
  renderName,
  renderOwners,
  renderStatus,
  renderTime,
} from "./parts.ts";

/** The fields of the form, as they were entered. */
export interface TestsForm {
  readonly q: string;
  readonly owner: string;
  readonly suite: string;
  readonly state: TestState;
  readonly sort: "cost" | "newest";
}

export const states: Readonly<Record<TestState, string>> = {
  unhealthy: "flaky or broken",
  flaky: "flaky",
  broken: "broken",
  quarantined: "quarantined",
  any: "any",
};
export const orders: Readonly<Record<TestsForm["sort"], string>> = {
  cost: "cost",
  newest: "newest first",
};

const columns = [
  { label: "Test", kind: "main" },
  "Status",
  { label: "Pull requests", kind: "number" },
  { label: "Held up", kind: "number" },
  { label: "CI time", kind: "number" },
  "Failed runs",
  "Owners",
  { label: "Since", kind: "time" },
] as const;

/** Renders the tests of a repository that match the form. `found` null: it has sent no report. `now` in milliseconds since the epoch. */
export function renderTests(
  repo: RepositoryRef,
  form: TestsForm,
  found: FoundTests | null,
  now: number,
): string {
  const head = (count: string) =>
    html`<section class="head"><h1>Tests <span class="quiet">of ${repo.owner}/${repo.name}</span> <span class="count">${count}</span></h1><p class="facts"><a href="${testsPath(repo)}/settings">settings</a></p></section>`;
  if (found === null) return html`<main>!${head("0")}!${noReports}</main>`;
  const { causes, tests, isCut, page, pages, since } = found;
  const rows = causes.map((cause) => ({ cells: cellsOf(repo, cause, now) }));
  const link = (to: number, text: string, rel: string) =>
    to < 1 || to > pages ? "" : html`<a href="${addressOf(repo, form, to)}" rel="${rel}">${text}</a> `;
  return html`
<main>
!${head(`${tests}${isCut ? "+" : ""}`)}
!${renderForm(repo, form)}
!${rows.length === 0 ? renderNone(repo, form) : renderTable(columns, rows)}
<p class="pages">!${link(page - 1, "Previous", "prev")}!${link(page + 1, "Next", "next")}!${pages > 1 ? html`<span class="quiet">page ${page} of ${pages}</span>` : ""}</p>
!${isCut ? html`<p class="quiet">More tests match. Those that failed in the last 14 days and the latest known are sorted.</p>` : ""}
!${rows.length === 0 ? "" : renderLegend(since, now)}
</main>`;
}

const noReports = html`<p class="empty">No test reports have arrived. Send them with the Action’s command <code>upload-tests</code>, or with <a href="/docs">the API</a>.</p>`;

function renderLegend(since: number, now: number): string {
  return html`<p class="quiet">Figures are of the last 7 days. <b>Pull requests</b>: those that the test failed, in the queue or before, where the failure was not forgiven. <b>Held up</b>: from such a failure until the same job ran on the same code without it; where nobody ran it again, nothing is counted. <b>CI time</b>: how long the queue’s test runs took in which it failed, where the failure was not forgiven. !${outsideLegend}!${since > now - costWindow ? html` This repository has so many failures that only those since !${renderAgo(since, now)} are counted.` : ""}</p>`;
}

function cellsOf(repo: RepositoryRef, { tests, size, cost, lastWeek }: Cause, now: number): string[] {
  const [first] = tests;
  const isOne = size === 1 && first !== undefined;
  const names = tests.map((test) => html`<li>!${renderName(repo, test)}</li>`);
  const more = size > tests.length ? html`<li class="quiet">and ${size - tests.length} more</li>` : "";
  const statuses = [...new Set(tests.map(renderStatus))];
  const owners = [...new Set(tests.flatMap(({ codeowners }) => codeowners))];
  const since = Math.max(...tests.map(({ status }) => status.at));
  return [
    isOne
      ? renderName(repo, first)
      : html`<b>${size} tests fail together</b><ul class="together">!${names}!${more}</ul>`,
    statuses.join(" "),
    String(cost.pullRequests.size),
    renderTime(cost.heldUpMs),
    renderCiTime(cost),
    renderFailedRuns(cost, lastWeek),
    renderOwners(repo, owners),
    renderAgo(since, now),
  ];
}

function renderNone(repo: RepositoryRef, { q, owner, suite, state }: TestsForm): string {
  const all = html`<a href="${testsPath(repo)}?state=any">Show all tests</a>`;
  if (q !== "" || owner !== "" || suite !== "") return html`<p class="empty">No test matches. !${all}</p>`;
  if (state !== "any") return html`<p class="empty">No test is ${states[state]}. !${all}</p>`;
  return noReports;
}

function addressOf(repo: RepositoryRef, form: TestsForm, page: number): string {
  const usual: Readonly<Record<string, string>> = { state: "unhealthy", sort: "cost" };
  const query = Object.entries(form).filter(([name, value]) => value !== (usual[name] ?? ""));
  return `${testsPath(repo)}?${new URLSearchParams([...query, ["page", String(page)]])}`;
}

function renderForm(repo: RepositoryRef, { q, owner, suite, state, sort }: TestsForm): string {
  const isFiltered = q !== "" || owner !== "" || suite !== "" || state !== "unhealthy";
  return html`<form class="search" method="get" action="${testsPath(repo)}">
  <label>Search <input type="search" name="q" value="${q}" placeholder="name, file or suite"></label>
  <label>Suite <input name="suite" value="${suite}" placeholder="file, suite or class"></label>
  <label>Owner <input name="owner" value="${owner}" placeholder="@acme/payments"></label>
  <label>State <select name="state">!${optionsOf(states, state)}</select></label>
  <label>Sort by <select name="sort">!${optionsOf(orders, sort)}</select></label>
  <button>Show</button>
  !${isFiltered ? html`<a class="clear" href="${testsPath(repo)}">all flaky and broken</a>` : ""}
</form>`;
}

function optionsOf(names: Readonly<Record<string, string>>, chosen: string): readonly string[] {
  return Object.entries(names).map(
    ([value, name]) => html`<option value="${value}"!${value === chosen ? " selected" : ""}>${name}</option>`,
  );
}
