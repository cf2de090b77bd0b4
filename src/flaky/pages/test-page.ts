import { html } from "ghtml";
import { testPath, testsPath } from "../../dashboard/paths.ts";
import { linkTo } from "../../dashboard/pull-request/parts.ts";
import { renderTable } from "../../dashboard/table.ts";
import { renderAgo } from "../../dashboard/times.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import { renderStatusReason } from "../detection/status.ts";
import type { TestWithStory } from "../service/test-reader.ts";
import type { DayOutcomes, FailureGroup } from "../store/reads/test-records.ts";
import { renderEvidence } from "./evidence.ts";
import {
  outsideLegend,
  renderCiTime,
  renderFailedRuns,
  renderOwners,
  renderPlace,
  renderPullRequest,
  renderRate,
  renderRun,
  renderStatus,
  renderTime,
  type TestView,
} from "./parts.ts";
import { renderQuarantine } from "./quarantine-form.ts";

/** Longer names are cut, and can be unfolded. */
const longName = 240;
const pullRequestsShown = 20;

/** Renders what a test did and what it costs, with the evidence that it is flaky or broken. */
export function renderTest(shown: TestWithStory, view: TestView): string {
  const { test, story, cost } = shown;
  const { repo, name, changes } = test;
  const { now } = view;
  const history = changes.toReversed().map(({ status, at, reason }) => ({
    cells: [html`${status.toLowerCase()}`, html`${renderStatusReason(reason)}`, renderAgo(at, now)],
  }));
  const pulls = [...cost.pullRequests].sort((a, b) => b - a);
  const morePulls = pulls.length - pullRequestsShown;
  return html`
<main class="story">
<section class="head">
  <h1><bdi>${name}</bdi></h1>
  !${name.length > longName ? html`<details><summary>The whole name</summary><p><bdi>${name}</bdi></p></details>` : ""}
  <p class="facts">
    <span>!${renderStatus(test)}</span>
    <span><a href="${testsPath(repo)}">${repo.owner}/${repo.name}</a></span>
    <span class="title">!${renderPlace(repo, test)}</span>
    !${test.codeowners.length === 0 ? "" : html`<span>!${renderOwners(repo, test.codeowners)}</span>`}
    !${test.renamedFrom === null ? "" : html`<span>renamed from <bdi>${test.renamedFrom}</bdi></span>`}
    !${ticketOf(shown)}
  </p>
</section>
<section>
  <h2>Cost, last 7 days</h2>
  <dl class="figures costs">
    <div><dt>Pull requests failed</dt><dd>${pulls.length}</dd>!${pulls.length === 0 ? "" : html`<dd>!${pulls.slice(0, pullRequestsShown).map((pr) => html`!${renderPullRequest(repo, pr)} `)}!${morePulls > 0 ? `and ${morePulls} more` : ""}</dd>`}</div>
    <div><dt>They were held up for</dt><dd>!${renderTime(cost.heldUpMs)}</dd></div>
    <div><dt>CI time in the queue</dt><dd>!${renderCiTime(cost)}</dd></div>
    <div><dt>Failed runs</dt><dd>!${renderFailedRuns(cost, test.lastWeek)}</dd></div>
    <div><dt>Failure rate, last 24 hours</dt><dd>${renderRate(test.lastDay)}</dd></div>
  </dl>
  !${cost.outsideMs === null ? "" : html`<p class="quiet">!${outsideLegend}</p>`}
</section>
<section>
  <h2>Last 30 days</h2>
  !${renderStrip(story.days)}
</section>
!${renderTogether(shown)}
!${renderEvidence(shown, view)}
!${renderQuarantine(test, story.quarantine, view)}
<section>
  <h2>Failures, last 30 days</h2>
  !${story.failures.length === 0 ? html`<p class="empty">It has not failed.</p>` : story.failures.map((group) => renderFailures(group, view))}
  !${story.failures.length === 0 ? "" : html`<p class="quiet">Of each failure one line is kept, without numbers, ids, paths and times. The run has the whole text.</p>`}
</section>
<section>
  <h2>Status history</h2>
  !${history.length === 0 ? html`<p class="empty">${renderStatusReason(test.status.reason)}.</p>` : renderTable(["Status", "Why", { label: "Since", kind: "time" }], history)}
</section>
</main>`;
}

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function renderStrip(days: readonly DayOutcomes[]): string {
  const cells = days.map((one, index) => {
    const { at, passed, flaky, failed } = one;
    const [kind, mark] =
      failed > 0
        ? ["failed", "✕"]
        : flaky > 0
          ? ["flaky", "~"]
          : passed > 0
            ? ["passed", "✓"]
            : ["none", "·"];
    const day = new Date(at).getUTCDate();
    const words =
      kind === "none"
        ? `${date.format(at)}: did not run`
        : `${date.format(at)}: ${passed} passed, ${flaky} passed when tried again, ${failed} failed`;
    const label = index === 0 || day === 1 ? date.format(at) : String(day);
    return html`<li class="${kind}"><span role="img" aria-label="${words}" title="${words}">${mark}<br>${failed + flaky || ""}</span><small aria-hidden="true">${label}</small></li>`;
  });
  return html`<ol class="strip">!${cells}</ol>
  <p class="quiet">✓ passed in all runs, ~ passed when tried again, ✕ failed, · did not run, with the number of runs that failed at first. Days are those of UTC.</p>`;
}

function renderTogether({ test, together: { tests, size } }: TestWithStory): string {
  if (tests.length === 0) return "";
  const items = tests.map(
    ({ id, name }) => html`<li><a class="title" href="${testPath(test.repo, id)}">${name}</a></li>`,
  );
  const more = size > tests.length ? html`<li class="quiet">and ${size - tests.length} more</li>` : "";
  return html`<section><h2>Fails together with <span class="count">${size}</span></h2><p class="quiet">They failed in the same runs of the last 14 days, so they probably have one cause.</p><ul>!${items}!${more}</ul></section>`;
}

function renderFailures({ summary, count, firstAt, lastAt, runs }: FailureGroup, view: TestView): string {
  const { now } = view;
  const items = runs.map((run) => html`<li>!${renderRun(view, run)}</li>`);
  const gone = html`<p class="quiet">Its runs are no longer kept.</p>`;
  const more =
    count > runs.length && runs.length > 0
      ? html`<li class="quiet">and ${count - runs.length} earlier</li>`
      : "";
  return html`<article class="run">
  <h3><code><bdi>${summary}</bdi></code></h3>
  <p class="facts"><span>${counted(count, "run")}</span> <span>first seen !${renderAgo(firstAt, now)}</span> <span>last seen !${renderAgo(lastAt, now)}</span></p>
  !${items.length === 0 ? gone : html`<ul class="failed-tests">!${items}!${more}</ul>`}
</article>`;
}

/** The issue that we opened, and the ticket that a person linked. The person chose its address. */
function ticketOf({ test: { ticketUrl }, story: { issue } }: TestWithStory): string {
  const ours =
    issue &&
    html`<span>!${linkTo(issue.url, `issue #${issue.number}`)} (${issue.isOpen ? "open" : "closed"})</span> `;
  const isOther = ticketUrl !== null && ticketUrl !== issue?.url;
  const ticket =
    isOther && /^https?:\/\//i.test(ticketUrl) ? html`<span>!${linkTo(ticketUrl, "ticket")}</span>` : "";
  return `${ours ?? ""}${ticket}`;
}
