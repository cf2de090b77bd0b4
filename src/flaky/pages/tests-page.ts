import { html } from "ghtml";
import { testPath, testsPath } from "../../dashboard/paths.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { renderStatusReason } from "../detection/status.ts";
import type { FoundTests, TestPage } from "../service/test-reader.ts";
import type { ListedTest, RunCounts, TestDetails, TestSearch } from "../store/reads/test-records.ts";
import { ownerPath, renderSearch } from "./test-pages.ts";

/** Renders a repository's flaky and broken tests. */
export function renderTests(repo: RepositoryRef, page: TestPage): string {
  const rows = page.rows.map(
    (test) => html`
<tr>
  <td>!${nameOf(repo, test)}</td>
  <td>!${statusOf(test)}</td>
  <td>${renderStatusReason(test.status.reason)}</td>
  <td>!${ownersOf(repo, test)}</td>
  <td class="time">${dayOf(test.status.at)}</td>
</tr>`,
  );
  const link = (token: string, text: string) =>
    token === "" ? "" : html`<a href="${testsPath(repo)}?page=${encodeURIComponent(token)}">${text}</a> `;
  return html`
<main>
!${headOf(repo)}
<section>
  !${renderSearch(repo, null)}
  <h2>Flaky and broken <span class="count">${page.totalRows}</span></h2>
  <p class="quiet">Newest first. <a href="${testsPath(repo)}?state=unhealthy">Sort by cost</a></p>
  !${
    rows.length === 0
      ? html`<p class="empty">No test is flaky or broken.</p>`
      : html`<table><thead><tr><th>Test</th><th>Status</th><th>Why</th><th>Owners</th><th>Since</th></tr></thead><tbody>!${rows}</tbody></table>`
  }
  <p>!${link(page.previous, "Previous")}!${link(page.next, "Next")}<span class="quiet">page ${page.index} of ${page.totalPages}</span></p>
</section>
</main>`;
}

/** Renders the results of a search. What costs most comes first. */
export function renderFoundTests(repo: RepositoryRef, search: TestSearch, found: FoundTests): string {
  const rows = found.tests.map(
    (test) => html`
<tr>
  <td>!${nameOf(repo, test)}</td>
  <td>!${statusOf(test)}</td>
  <td>${test.pullRequestsImpacted}</td>
  <td>${rateOf(test.lastWeek)}</td>
  <td>!${ownersOf(repo, test)}</td>
  <td class="time">${dayOf(test.status.at)}</td>
</tr>`,
  );
  return html`
<main>
!${headOf(repo)}
<section>
  !${renderSearch(repo, search)}
  <h2>Found <span class="count">${found.tests.length}${found.isCut ? "+" : ""}</span></h2>
  <p class="quiet">Sorted by cost: the tests that failed the most pull requests come first, then those with the highest certain failure rate.</p>
  !${
    rows.length === 0
      ? html`<p class="empty">No test matches.</p>`
      : html`<table><thead><tr><th>Test</th><th>Status</th><th>Pull requests failed in 7 days</th><th>Runs failed in 7 days</th><th>Owners</th><th>Since</th></tr></thead><tbody>!${rows}</tbody></table>`
  }
  !${found.isCut ? html`<p class="quiet">There are more. Narrow the search to see them.</p>` : ""}
</section>
</main>`;
}

function headOf(repo: RepositoryRef): string {
  return html`<section class="head"><h1><span class="quiet">${repo.owner}/</span>${repo.name} <span class="branch">tests</span></h1></section>`;
}

function nameOf(repo: RepositoryRef, test: ListedTest): string {
  return html`<a href="${testPath(repo, test.id)}">${test.name}</a><br><span class="quiet">${whereOf(test)}</span>`;
}

function ownersOf(repo: RepositoryRef, { codeowners }: Pick<ListedTest, "codeowners">): string {
  const links = codeowners.map((owner) => html`<a href="${ownerPath(repo, owner)}">${owner}</a> `);
  return html`!${links}`;
}

/** Renders a test, with the evidence that it is flaky or broken. */
export function renderTest(test: TestDetails): string {
  const { repo, commonFailures, changes } = test;
  const failures = commonFailures.map(
    ({ summary, count, lastAt }) =>
      html`<tr><td><code>${summary}</code></td><td>${count}</td><td>${timeOf(lastAt)}</td></tr>`,
  );
  const history = changes
    .toReversed()
    .map(
      ({ status, at, reason }) =>
        html`<tr><td>${status.toLowerCase()}</td><td>${renderStatusReason(reason)}</td><td>${timeOf(at)}</td></tr>`,
    );
  return html`
<main>
<section class="head">
  <h1>${test.name}</h1>
  <p class="facts">
    !${statusOf(test)}
    <span><a href="${testsPath(repo)}">${repo.owner}/${repo.name}</a></span>
    <span>${whereOf(test)}</span>
    !${test.codeowners.length === 0 ? "" : html`<span>${test.codeowners.join(", ")}</span>`}
    !${test.renamedFrom === null ? "" : html`<span>renamed from ${test.renamedFrom}</span>`}
    !${ticketOf(test)}
  </p>
</section>
<section>
  <h2>Failure rate</h2>
  <table><tbody>
    <tr><td>Last 24 hours</td><td>${rateOf(test.lastDay)}</td></tr>
    <tr><td>Last 7 days</td><td>${rateOf(test.lastWeek)}</td></tr>
    <tr><td>Pull requests affected, last 7 days</td><td>${test.pullRequestsImpacted}</td></tr>
  </tbody></table>
</section>
<section>
  <h2>Status history</h2>
  !${history.length === 0 ? html`<p class="empty">${renderStatusReason(test.status.reason)}.</p>` : html`<table><thead><tr><th>Status</th><th>Why</th><th>Since</th></tr></thead><tbody>!${history}</tbody></table>`}
</section>
<section>
  <h2>Most frequent failures, last 7 days</h2>
  !${failures.length === 0 ? html`<p class="empty">It has not failed.</p>` : html`<table><thead><tr><th>Failure</th><th>Times</th><th>Last</th></tr></thead><tbody>!${failures}</tbody></table>`}
</section>
</main>`;
}

function statusOf({ status, quarantinedAt }: Pick<ListedTest, "status" | "quarantinedAt">): string {
  const held = quarantinedAt === null ? "" : html` <span class="state">quarantined</span>`;
  return html`<span class="state">${status.status.toLowerCase()}</span>!${held}`;
}

function whereOf({ file, parent, classname, variant }: Omit<ListedTest, "at" | "key">): string {
  return [file ?? classname, parent, variant].filter((part) => part !== null && part !== "").join(" · ");
}

/** Anyone who may link a ticket chooses its address, so only http and https are linked. */
function ticketOf({ ticketUrl }: TestDetails): string {
  return ticketUrl !== null && /^https?:\/\//i.test(ticketUrl)
    ? html`<span><a href="${ticketUrl}" rel="noreferrer">ticket</a></span>`
    : "";
}

function rateOf({ runs, failures }: RunCounts): string {
  if (runs === 0) return "did not run";
  return `${((failures / runs) * 100).toFixed(1)} % (${failures} of ${runs} runs)`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

function dayOf(at: number): string {
  return timeOf(at).slice(0, 10);
}
