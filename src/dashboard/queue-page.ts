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
import { auditPath, historyPath, pullRequestPath, queuePath, testsPath } from "./paths.ts";
import { renderTable } from "./table.ts";
import { renderAgo, renderFor } from "./times.ts";

/** Renders the frame of the page. Its contents are replaced whenever the queue changes. */
export function renderQueuePage(queue: QueueAddress, content: string): string {
  return html`<main hx-sse:connect="${queuePath(queue)}/live" hx-swap="innerMorph">!${content}</main>`;
}

/** A link to another page about the queue. */
interface PageLink {
  readonly path: string;
  readonly text: string;
}

/** The links for somebody who may read the repository's queues. Only its administrators may read the audit log. */
export function memberLinks(queue: QueueAddress, isAdministrator: boolean): readonly PageLink[] {
  return [
    { path: testsPath(queue.repo), text: "flaky tests" },
    { path: `${queuePath(queue)}/doctor`, text: "doctor" },
    { path: `${queuePath(queue)}/settings`, text: "settings" },
    ...(isAdministrator ? [{ path: auditPath(queue.repo), text: "audit log" }] : []),
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
  !${view.entries.length === 0 ? html`<p class="empty">Nothing is waiting. Comment <code>/trainyard merge</code> on a pull request.</p>` : table(view, view.entries, now, controls)}
  !${renderEntryControls(
    controls,
    [...view.entries, ...view.awaitingReadiness].map(({ entry }) => entry),
  )}
</section>
!${
    view.awaitingReadiness.length === 0
      ? ""
      : html`<section><h2>Not ready yet <span class="count">${view.awaitingReadiness.length}</span></h2>!${table(view, view.awaitingReadiness, now, controls)}</section>`
  }
<section>
  <h2>Ended</h2>
  !${ended.length === 0 ? html`<p class="empty">Nothing has ended yet.</p>` : endedTable(view, ended, now)}
  <p><a href="${historyPath(view)}">Everything that ended</a></p>
</section>`;
}

/** Renders why only urgent pull requests merge, and until when. */
function freezeFacts(freeze: Freeze): string {
  return html`<span class="state paused">frozen until ${renderEnd(freeze)}</span> <span>${freeze.reason}</span>`;
}

/** Renders that nothing merges, and what is in the way. */
function stallFacts({ since, pr, cause }: ExplainedStall, now: number): string {
  return html`<span class="state failed">nothing has merged for !${renderFor(since, now)}</span> <span>#${pr}: ${cause.text}</span>`;
}

function table(
  queue: QueueAddress,
  items: readonly QueueItemView[],
  now: number,
  controls: Controls | null,
): string {
  const rows = items.map(({ entry, run, ahead, position, forecast, why }) => ({
    id: `pr-${entry.pr}`,
    cells: [
      html`!${renderSelection(controls, entry)}${position ?? ""}`,
      pullRequest(queue, entry),
      state(entry),
      html`<span class="long">${why.map((link) => link.text).join(" → ")}</span>!${stack(ahead)}!${mergesIn(forecast, now)}`,
      run ? checks(run) : "",
      renderFor(entry.stateChangedAt, now),
    ],
  }));
  const columns = [
    { label: "Place", kind: "number" },
    { label: "Pull request", kind: "main" },
    "State",
    "Why",
    "Checks",
    { label: "For", kind: "time" },
  ] as const;
  return renderTable(columns, rows);
}

function endedTable(queue: QueueAddress, entries: readonly Entry[], now: number): string {
  const rows = entries.map((entry) => ({
    cells: [
      pullRequest(queue, entry),
      state(entry),
      html`<span class="long">${renderReason(entry.reason)}</span> !${proof(entry)}`,
      renderAgo(entry.stateChangedAt, now),
    ],
  }));
  const columns = [
    { label: "Pull request", kind: "main" },
    "Outcome",
    "Why",
    { label: "Ended", kind: "time" },
  ] as const;
  return renderTable(columns, rows);
}

function state({ state }: Entry): string {
  return html`<span class="state ${state}">${state.replaceAll("_", " ")}</span>`;
}

function pullRequest(queue: QueueAddress, entry: Entry): string {
  const priority = entry.priority.isDefault ? "" : html` <span class="tag">${entry.priority.name}</span>`;
  return html`<span class="title"><a href="${pullRequestPath(queue, entry.pr)}">#${entry.pr} <bdi>${entry.title}</bdi></a></span> <small><bdi>${entry.author}</bdi> · <code>${entry.headSha.slice(0, 7)}</code> · <a href="${entry.url}">GitHub</a>!${priority}</small>`;
}

function stack(ahead: readonly number[]): string {
  if (ahead.length === 0) return "";
  return html` <small>on top of ${ahead.map((pr) => `#${pr}`).join(", ")}</small>`;
}

function mergesIn(forecast: QueueItemView["forecast"], now: number): string {
  if (!forecast) return "";
  const minutes = (at: number) => Math.max(1, Math.round((at - now) / 60_000));
  const [likely, worst] = [minutes(forecast.p50), minutes(forecast.p90)];
  const text = likely === worst ? `in about ${likely} min` : `in about ${likely} min, at worst ${worst}`;
  return html` <small>merges ${text}</small>`;
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
