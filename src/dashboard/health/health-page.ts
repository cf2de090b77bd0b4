import { html } from "ghtml";
import type { Entry } from "../../engine/model/entry.ts";
import {
  type HealthBucket,
  type HealthStay,
  quantile,
  totalOf,
} from "../../service/metrics/health/health-figures.ts";
import type { EndedPlace } from "../../service/queues/queue-overview.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { pullRequestColumn, renderPullRequest, renderState, renderWhy, whyColumn } from "../history-page.ts";
import { healthPath } from "../paths.ts";
import { renderTable } from "../table.ts";
import { renderAgo, renderDuration, renderForgotten } from "../times.ts";
import { busySlots, type Chart, count, figuresOf, namedWaits, percent, ratio, verdicts } from "./charts.ts";
import { formValue, type Period, periodQuery, ranges, shortTime } from "./period.ts";

export interface HealthView {
  readonly queue: QueueAddress;
  readonly period: Period;
  readonly buckets: readonly HealthBucket[];
  readonly charts: readonly Chart[];
  /** The pull requests that left the queue in the period, the last first. */
  readonly ended: { readonly entries: readonly Entry[]; readonly next: EndedPlace | null };
  readonly isFirst: boolean;
  readonly stays: readonly HealthStay[];
  /** Not null while older events are still being counted. */
  readonly until: number | null;
  /** Since when pull requests that ended are kept. */
  readonly keptSince: number;
}

/** Renders a queue's figures over time: the totals, the charts, and the pull requests behind them. */
export function renderHealth(view: HealthView, now: number): string {
  const { queue, period, until } = view;
  const { repo, branch } = queue;
  return html`<main class="health">
<h1>Health <span class="quiet">of ${repo.owner}/${repo.name}</span> <span class="branch">${branch}</span></h1>
!${renderPeriods(queue, period)}
!${period.problem === null ? "" : html`<p class="problem"><bdi>${period.problem}</bdi> This is the period until now.</p>`}
!${until === null ? "" : html`<p class="problem">The log of this queue is still being counted. So far, the figures reach until ${shortTime(until)} UTC. Load the page again in a minute.</p>`}
!${period.from < view.keptSince ? renderForgotten(view.keptSince) : ""}
!${period.to <= view.keptSince ? "" : renderFigures(view, now)}
</main>`;
}

function renderFigures(view: HealthView, now: number): string {
  return html`!${renderTotals(view.buckets, now)}
<div class="charts">!${view.charts.map((chart) => renderChart(view, chart))}</div>
!${renderEnded(view, now)}`;
}

function renderPeriods(queue: QueueAddress, { range, from, to }: Period): string {
  const links = Object.entries(ranges).map(([name, { text }]) =>
    name === range
      ? html`<a href="${healthPath(queue)}?range=${name}" aria-current="true">${text}</a> `
      : html`<a href="${healthPath(queue)}?range=${name}">${text}</a> `,
  );
  return html`<nav class="periods" aria-label="Period">!${links}</nav>
<form class="search" method="get" action="${healthPath(queue)}">
  <label>From (UTC) <input type="datetime-local" name="from" value="${formValue(from)}" required></label>
  <label>To (UTC) <input type="datetime-local" name="to" value="${formValue(to)}" required></label>
  <button>Show</button>
</form>`;
}

function renderTotals(buckets: readonly HealthBucket[], now: number): string {
  const total = totalOf(buckets);
  const [p50, p95] = [quantile(total.stays, 0.5), quantile(total.stays, 0.95)];
  const all = { ...total, from: buckets[0]?.from ?? 0, to: buckets.at(-1)?.to ?? 0 };
  const merged = count(total, "merged");
  const ciMinutes = ratio(count(total, "ci") / 60_000, merged);
  const rate = (part: number) => unit(percent(part, verdicts(total)), "%");
  const figures: readonly (readonly [string, string])[] = [
    ["Merged", String(merged)],
    [
      "Time to merge, p50 · p95",
      p50 === null || p95 === null ? "–" : `${renderDuration(p50)} · ${renderDuration(p95)}`,
    ],
    ["CI for each merge", unit(ciMinutes, "min")],
    ["Failed test runs", rate(count(total, "run failed"))],
    ["Flaky test runs", rate(count(total, "flaky"))],
    ["Slots in use", `${busySlots(all, now)?.toFixed(1) ?? "–"} of ${buckets.at(-1)?.slots ?? 0}`],
    ["Good pull requests kept", String(count(total, "innocent"))],
  ];
  return html`<dl class="figures">!${figures.map(([name, figure]) => html`<div><dt>${name}</dt><dd>${figure}</dd></div>`)}</dl>`;
}

function unit(value: number | null, of: string): string {
  return value === null ? "–" : `${value.toFixed(1)} ${of}`;
}

/** The table contains the figures that the script draws, and is shown without the script, too. */
function renderChart({ queue, period, buckets }: HealthView, chart: Chart): string {
  const figures = figuresOf(chart, buckets);
  const isEmpty = figures.every((cells) => cells.every((cell) => Number(cell) === 0));
  const title = html`<h2>${chart.title} !${chart.unit === "" ? "" : html`<span class="quiet">${chart.unit}</span>`}</h2><p class="quiet">${chart.note}</p>`;
  if (isEmpty) return html`<section>!${title}<p class="empty">Nothing in this period.</p></section>`;
  const heads = ["Time (UTC)", ...chart.series.map(({ name }) => name)];
  const rows = buckets.map(({ from }, index) => {
    const time = html`<th scope="row"><time datetime="${formValue(from)}Z">${shortTime(from)}</time></th>`;
    return html`<tr>!${time}!${figures[index]?.map((cell) => html`<td>${cell === "" ? "–" : cell}</td>`) ?? ""}</tr>`;
  });
  return html`<section class="chart" data-kind="${chart.kind}" data-step="${period.bucketMs / 1000}">
!${title}
<div class="plot" aria-hidden="true"></div>
<p><a href="${healthPath(queue)}/${chart.id}.csv?${periodQuery(period)}">CSV<span class="unseen"> of ${chart.title}</span></a></p>
<details><summary>Table<span class="unseen"> of ${chart.title}</span></summary>
<div class="scroll" tabindex="0" role="region" aria-label="${chart.title}, ${chart.unit || "numbers"}"><table><thead><tr>!${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>!${rows}</tbody></table></div>
</details>
</section>`;
}

const endedColumns = [
  pullRequestColumn,
  "Outcome",
  whyColumn,
  { label: "In the queue", kind: "words" },
  { label: "Ended", kind: "time" },
] as const;

function renderEnded({ queue, period, ended, isFirst, stays }: HealthView, now: number): string {
  const { entries, next } = ended;
  const byEnd = new Map(stays.map((stay) => [`${stay.pr} ${stay.endedAt}`, stay]));
  const rows = entries.map((entry) => ({
    cells: [
      renderPullRequest(entry, queue),
      renderState(entry),
      renderWhy(entry),
      renderStay(entry, byEnd.get(`${entry.pr} ${entry.stateChangedAt}`)),
      renderAgo(entry.stateChangedAt, now),
    ],
  }));
  const path = `${healthPath(queue)}?${periodQuery(period)}`;
  const older = next && `${path}&after=${next.endedAt}-${next.pr}#ended`;
  return html`<section id="ended">
<h2>Pull requests that ended <span class="quiet">${shortTime(period.from)} to ${shortTime(period.to)} UTC</span></h2>
<p class="quiet scripted">Drag over a chart to see only the pull requests of that time.</p>
!${rows.length === 0 ? html`<p class="empty">No pull request ended in this period. Choose a longer one above.</p>` : renderTable(endedColumns, rows)}
<p class="pages">!${isFirst ? "" : html`<a href="${path}#ended">Newest</a> `}!${older === null ? "" : html`<a href="${older}" rel="next">Older</a>`}</p>
</section>`;
}

/** @param stay absent = its events are not counted yet */
function renderStay({ submittedAt, stateChangedAt }: Entry, stay: HealthStay | undefined): string {
  const longest = namedWaits
    .map(([wait, name]) => ({ name, ms: stay?.waits[wait] ?? 0 }))
    .filter(({ ms }) => ms >= 1_000)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 2);
  const words = longest.map(({ name, ms }) => html`<small>${name} ${renderDuration(ms)}</small>`);
  return html`${renderDuration(stateChangedAt - submittedAt)}!${words}`;
}
