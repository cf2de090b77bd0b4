import { html } from "ghtml";
import type { ExplainedStall } from "../engine/explain/explain.ts";
import { evaluateChecks } from "../engine/model/checks/required-checks.ts";
import { currentChecks } from "../engine/model/checks/run-checks.ts";
import type { Entry } from "../engine/model/entry.ts";
import { type Freeze, renderEnd } from "../engine/model/order/delay.ts";
import type { TestRun } from "../engine/model/test-run.ts";
import { renderProof, renderReason } from "../engine/reasons/render-reason.ts";
import type { QueueAddress } from "../service/runtime/directory.ts";
import type { QueueItemView, QueueView } from "../service/runtime/views.ts";
import {
  type Controls,
  renderEntryControls,
  renderQueueControls,
  renderSelection,
} from "./controls/controls.ts";
import { testsPath } from "./paths.ts";

/** Returns the path of a queue's page on this service. */
export function queuePath({ repo, branch }: QueueAddress): string {
  return `/queues/${[repo.host, repo.owner, repo.name, branch].map(encodeURIComponent).join("/")}`;
}

/** Renders the frame of the page. Its contents are replaced whenever the queue changes. */
export function renderQueuePage(queue: QueueAddress, content: string): string {
  return html`<main hx-sse:connect="${queuePath(queue)}/live" hx-swap="innerMorph">!${content}</main>`;
}

/** A link to another page about the queue. */
interface PageLink {
  readonly path: string;
  readonly text: string;
}

/** The links for somebody who may read the repository's queues. */
export function memberLinks(queue: QueueAddress): readonly PageLink[] {
  return [
    { path: testsPath(queue.repo), text: "flaky tests" },
    { path: `${queuePath(queue)}/doctor`, text: "doctor" },
  ];
}

/** The links for anybody else: the other pages are not public. */
export const publicLinks: readonly PageLink[] = [{ path: "/", text: "sign in" }];

/** Renders everything that changes on a queue's page. `now` in milliseconds since the epoch. */
export function renderQueue(
  view: QueueView,
  ended: readonly Entry[],
  now: number,
  links: readonly PageLink[],
  controls: Controls | null = null,
): string {
  const { repo, branch, settings } = view;
  return html`
<section class="head">
  <h1><span class="quiet">${repo.owner}/</span>${repo.name} <span class="branch">${branch}</span></h1>
  <p class="facts">
    <span class="state ${view.status}">${view.status.replace("_", " ")}</span>
    !${view.status === "running" ? "" : html`<span>${renderReason(view.statusReason)}</span>`}
    !${view.freeze ? freezeFacts(view.freeze) : ""}
    !${view.stall ? stallFacts(view.stall, now) : ""}
    !${view.isBaseFailing ? html`<span class="state failed">${branch} fails by itself</span>` : ""}
    <span>${settings.concurrency} at once</span>
    <span>${settings.mergeMethod.replace("_", " ")}</span>
    <span>base <code>${view.baseSha?.slice(0, 7) ?? "unknown"}</code></span>
    !${links.map(({ path, text }) => html`<span><a href="${path}">${text}</a></span> `)}
  </p>
  !${renderQueueControls(controls, view)}
</section>
<section>
  <h2>In the queue <span class="count">${view.entries.length}</span></h2>
  !${view.entries.length === 0 ? html`<p class="empty">Nothing is waiting. Comment <code>/trainyard merge</code> on a pull request.</p>` : table(view.entries, now, controls)}
  !${renderEntryControls(
    controls,
    [...view.entries, ...view.awaitingReadiness].map(({ entry }) => entry),
  )}
</section>
!${
    view.awaitingReadiness.length === 0
      ? ""
      : html`<section><h2>Not ready yet <span class="count">${view.awaitingReadiness.length}</span></h2>!${table(view.awaitingReadiness, now, controls)}</section>`
  }
<section>
  <h2>Ended</h2>
  !${ended.length === 0 ? html`<p class="empty">Nothing has ended yet.</p>` : endedTable(ended, now)}
</section>`;
}

/** Renders why only urgent pull requests merge, and until when. */
function freezeFacts(freeze: Freeze): string {
  return html`<span class="state paused">frozen until ${renderEnd(freeze)}</span> <span>${freeze.reason}</span>`;
}

/** Renders that nothing merges, and what is in the way. */
function stallFacts({ since, pr, cause }: ExplainedStall, now: number): string {
  return html`<span class="state failed">nothing has merged for ${age(since, now)}</span> <span>#${pr}: ${cause.text}</span>`;
}

function table(items: readonly QueueItemView[], now: number, controls: Controls | null): string {
  const rows = items.map(
    ({ entry, run, ahead, position, forecast, why }) => html`
<tr id="pr-${entry.pr}">
  <td class="position">!${renderSelection(controls, entry)}${position ?? ""}</td>
  <td>!${pullRequest(entry)}</td>
  <td><span class="state ${entry.state}">${entry.state.replaceAll("_", " ")}</span></td>
  <td>${why.map((link) => link.text).join(" → ")}!${stack(ahead)}!${mergesIn(forecast, now)}</td>
  <td>!${run ? checks(run) : ""}</td>
  <td class="time">${age(entry.stateChangedAt, now)}</td>
</tr>`,
  );
  return html`<table><thead><tr><th></th><th>Pull request</th><th>State</th><th>Why</th><th>Checks</th><th>For</th></tr></thead><tbody>!${rows}</tbody></table>`;
}

function endedTable(entries: readonly Entry[], now: number): string {
  const rows = entries.map(
    (entry) => html`
<tr>
  <td class="position"></td>
  <td>!${pullRequest(entry)}</td>
  <td><span class="state ${entry.state}">${entry.state}</span></td>
  <td>${renderReason(entry.reason)}!${proof(entry)}</td>
  <td class="time">${age(entry.stateChangedAt, now)} ago</td>
</tr>`,
  );
  return html`<table><tbody>!${rows}</tbody></table>`;
}

function pullRequest(entry: Entry): string {
  const priority = entry.priority.isDefault ? "" : html` <span class="tag">${entry.priority.name}</span>`;
  return html`<a href="${entry.url}">#${entry.pr}</a> ${entry.title} <span class="quiet">${entry.author} · <code>${entry.headSha.slice(0, 7)}</code></span>!${priority}`;
}

function stack(ahead: readonly number[]): string {
  if (ahead.length === 0) return "";
  return html`<span class="quiet"> · on top of ${ahead.map((pr) => `#${pr}`).join(", ")}</span>`;
}

function mergesIn(forecast: QueueItemView["forecast"], now: number): string {
  if (!forecast) return "";
  const minutes = (at: number) => Math.max(1, Math.round((at - now) / 60_000));
  const [likely, worst] = [minutes(forecast.p50), minutes(forecast.p90)];
  const text = likely === worst ? `in about ${likely} min` : `in about ${likely} min, at worst ${worst}`;
  return html`<span class="quiet"> · merges ${text}</span>`;
}

function checks(run: TestRun): string {
  const verdict = evaluateChecks(run.required, currentChecks(run, run.checks));
  const failed = new Set(verdict.failed.map(({ name }) => name));
  const open = new Set([...verdict.pending, ...verdict.missing]);
  const marks = run.required.map(({ name }) => {
    const state = failed.has(name) ? "failed" : open.has(name) ? "open" : "passed";
    return html`<span class="check ${state}" title="${name}: ${state}">${name}</span>`;
  });
  return html`!${marks}`;
}

/** Renders the proof that the merged tree is the tested one. */
function proof(entry: Entry): string {
  const { reason } = entry;
  if (reason.code !== "MERGED_IN_ORDER" && reason.code !== "DIRECT_MERGED") return "";
  return html`<span class="proof">${renderProof(reason.proof)}</span>`;
}

export function age(since: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
