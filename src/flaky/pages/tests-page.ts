import { html } from "ghtml";
import { testPath, testsPath } from "../../dashboard/paths.ts";
import { renderTable } from "../../dashboard/table.ts";
import { renderAgo } from "../../dashboard/times.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { renderStatusReason } from "../detection/status.ts";
import type { FoundTests, TestPage } from "../service/test-reader.ts";
import type { ListedTest, RunCounts, TestDetails, TestSearch } from "../store/reads/test-records.ts";
import { renderQuarantineForm } from "./quarantine-form.ts";
import { ownerPath, renderSearch } from "./test-pages.ts";

const since = { label: "Since", kind: "time" } as const;
const named = { label: "Test", kind: "main" } as const;

/** Renders a repository's flaky and broken tests. `now` in milliseconds since the epoch. */
export function renderTests(repo: RepositoryRef, page: TestPage, now: number): string {
  const rows = page.rows.map((test) => ({
    cells: [
      nameOf(repo, test),
      statusOf(test),
      html`${renderStatusReason(test.status.reason)}`,
      ownersOf(repo, test),
      renderAgo(test.status.at, now),
    ],
  }));
  const link = (token: string, text: string) =>
    token === "" ? "" : html`<a href="${testsPath(repo)}?page=${encodeURIComponent(token)}">${text}</a> `;
  return html`
<main>
!${headOf(repo)}
<section>
  !${renderSearch(repo, null)}
  <h2>Flaky and broken <span class="count">${page.totalRows}</span></h2>
  <p class="quiet">Newest first. <a href="${testsPath(repo)}?state=unhealthy">Sort by cost</a></p>
  !${rows.length === 0 ? html`<p class="empty">No test is flaky or broken.</p>` : renderTable([named, "Status", "Why", "Owners", since], rows)}
  <p class="pages">!${link(page.previous, "Previous")}!${link(page.next, "Next")}<span class="quiet">page ${page.index} of ${page.totalPages}</span></p>
</section>
</main>`;
}

/** Renders the results of a search. What costs most comes first. */
export function renderFoundTests(
  repo: RepositoryRef,
  search: TestSearch,
  found: FoundTests,
  now: number,
): string {
  const rows = found.tests.map((test) => ({
    cells: [
      nameOf(repo, test),
      statusOf(test),
      String(test.pullRequestsImpacted),
      html`${rateOf(test.lastWeek)}`,
      ownersOf(repo, test),
      renderAgo(test.status.at, now),
    ],
  }));
  return html`
<main>
!${headOf(repo)}
<section>
  !${renderSearch(repo, search)}
  <h2>Found <span class="count">${found.tests.length}${found.isCut ? "+" : ""}</span></h2>
  <p class="quiet">Sorted by cost: the tests that failed the most pull requests come first, then those with the highest certain failure rate.</p>
  !${rows.length === 0 ? html`<p class="empty">No test matches.</p>` : renderTable([named, "Status", { label: "Pull requests failed in 7 days", kind: "number" }, "Runs failed in 7 days", "Owners", since], rows)}
  !${found.isCut ? html`<p class="quiet">There are more. Narrow the search to see them.</p>` : ""}
</section>
</main>`;
}

function headOf(repo: RepositoryRef): string {
  return html`<section class="head"><h1>Tests <span class="quiet">of ${repo.owner}/${repo.name}</span></h1><p class="facts"><a href="${testsPath(repo)}/settings">settings</a></p></section>`;
}

function nameOf(repo: RepositoryRef, test: ListedTest): string {
  return html`<a href="${testPath(repo, test.id)}">${test.name}</a> <small>${whereOf(test)}</small>`;
}

function ownersOf(repo: RepositoryRef, { codeowners }: Pick<ListedTest, "codeowners">): string {
  const links = codeowners.map((owner) => html`<a href="${ownerPath(repo, owner)}">${owner}</a> `);
  return html`!${links}`;
}

/** Renders a test, with the evidence that it is flaky or broken. `now` in milliseconds since the epoch. */
export function renderTest(test: TestDetails, formToken: string | null, now: number): string {
  const { repo, commonFailures, changes } = test;
  const failures = commonFailures.map(({ summary, count, lastAt }) => ({
    cells: [html`<code>${summary}</code>`, String(count), renderAgo(lastAt, now)],
  }));
  const history = changes.toReversed().map(({ status, at, reason }) => ({
    cells: [html`${status.toLowerCase()}`, html`${renderStatusReason(reason)}`, renderAgo(at, now)],
  }));
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
  <dl class="figures">
    <div><dt>Last 24 hours</dt><dd>${rateOf(test.lastDay)}</dd></div>
    <div><dt>Last 7 days</dt><dd>${rateOf(test.lastWeek)}</dd></div>
    <div><dt>Pull requests affected, last 7 days</dt><dd>${test.pullRequestsImpacted}</dd></div>
  </dl>
</section>
!${renderQuarantineForm(test, formToken, now)}
<section>
  <h2>Status history</h2>
  !${history.length === 0 ? html`<p class="empty">${renderStatusReason(test.status.reason)}.</p>` : renderTable(["Status", "Why", since], history)}
</section>
<section>
  <h2>Most frequent failures, last 7 days</h2>
  !${
    failures.length === 0
      ? html`<p class="empty">It has not failed.</p>`
      : renderTable(
          [
            { label: "Failure", kind: "main" },
            { label: "Times", kind: "number" },
            { label: "Last", kind: "time" },
          ],
          failures,
        )
  }
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
