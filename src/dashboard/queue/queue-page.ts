import { html } from "ghtml";
import type { ExplainedStall } from "../../engine/explain/explain.ts";
import type { Entry } from "../../engine/model/entry.ts";
import { type Freeze, renderEnd } from "../../engine/model/order/delay.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { QueueItemView, QueuePicture, QueueView } from "../../service/runtime/views.ts";
import { type Controls, renderEntryControls, renderQueueControls } from "../controls/controls.ts";
import { auditPath, healthPath, historyPath, pastPath, queuePath, testsPath, whatIfPath } from "../paths.ts";
import { renderFor } from "../times.ts";
import { renderChip } from "./cars.ts";
import { listedAtOnce, renderEnded, renderEntries } from "./entry-tables.ts";
import { renderTracks } from "./tracks.ts";

/** The number of pull requests before the first that is listed: of those that wait, and of those that are not ready. */
export interface ListPlaces {
  readonly from: number;
  readonly notReadyFrom: number;
}

function queryOf(places: ListPlaces): string {
  const given = Object.entries(places).filter(([, place]) => place > 0);
  return given.length === 0 ? "" : `?${given.map(([name, place]) => `${name}=${place}`).join("&")}`;
}

/** Renders the frame of the page. Its contents are replaced whenever the queue changes. */
export function renderQueuePage(queue: QueueAddress, places: ListPlaces, content: string): string {
  return html`<main hx-sse:connect="${queuePath(queue)}/live${queryOf(places)}" hx-swap="innerMorph">!${content}</main>`;
}

/** A link to another page about the queue. */
interface PageLink {
  readonly path: string;
  readonly text: string;
}

/** The links for visitors who may read the repository's queues. Only administrators may read the audit log. */
export function memberLinks(queue: QueueAddress, isAdministrator: boolean): readonly PageLink[] {
  return [
    { path: pastPath(queue), text: "past" },
    { path: healthPath(queue), text: "health" },
    { path: testsPath(queue.repo), text: "flaky tests" },
    { path: `${queuePath(queue)}/doctor`, text: "doctor" },
    { path: `${queuePath(queue)}/settings`, text: "settings" },
    ...(isAdministrator
      ? [
          { path: whatIfPath(queue), text: "what if" },
          { path: auditPath(queue.repo), text: "audit log" },
        ]
      : []),
  ];
}

/** The links for all other visitors, for whom the other pages are not visible. */
export const publicLinks: readonly PageLink[] = [{ path: "/", text: "sign in" }];

export interface QueueVisit {
  readonly links: readonly PageLink[];
  readonly controls: Controls | null;
  readonly commandPrefix: string;
  readonly places: ListPlaces;
}

/** Renders everything that changes on a queue's page. `now` in milliseconds since the epoch. */
export function renderQueue(
  view: QueueView,
  ended: readonly Entry[],
  now: number,
  { links, controls, commandPrefix, places }: QueueVisit,
): string {
  const { repo, branch, settings, tracks } = view;
  const { used, of } = tracks.slots;
  const all = [...view.entries, ...view.awaitingReadiness].map(({ entry }) => entry);
  const list = (items: readonly QueueItemView[], name: keyof ListPlaces) => {
    const from = places[name];
    const pathTo = (place: number) => queuePath(view) + queryOf({ ...places, [name]: place });
    const listing = { now, controls, all: items.length, pages: { from, pathTo } };
    return renderEntries(view, items.slice(from, from + listedAtOnce), listing);
  };
  return html`
<section class="head">
  <h1><span class="quiet">${repo.owner}/</span>${repo.name} <span class="branch">${branch}</span></h1>
  <p class="facts">
    <span class="state ${view.status}">${view.status.replace("_", " ")}</span>
    <span>${used} of ${of} slots in use</span>
    <span>${settings.mergeMethod.replace("_", " ")}</span>
    <span>base <code>${view.baseSha?.slice(0, 7) ?? "unknown"}</code></span>
  </p>
  <nav class="facts" aria-label="About the queue">!${links.map(({ path, text }) => html`<a href="${path}">${text}</a> `)}</nav>
  !${renderNotices(view, now)}
  !${renderQueueControls(controls, view)}
</section>
!${view.entries.length + tracks.others.length === 0 ? "" : html`<section><h2 id="tracks">Tracks <span class="quiet">what is tested on top of what</span></h2>!${renderTracks(view, tracks)}</section>`}
<section>
  <h2>In the queue <span class="count">${view.entries.length}</span></h2>
  !${view.entries.length === 0 ? html`<p class="empty">Nothing is waiting. Comment <code>${commandPrefix} merge</code> on a pull request.</p>` : list(view.entries, "from")}
</section>
!${
    view.awaitingReadiness.length === 0
      ? ""
      : html`<section><h2>Not ready yet <span class="count">${view.awaitingReadiness.length}</span></h2>!${list(view.awaitingReadiness, "notReadyFrom")}</section>`
  }
!${renderEntryControls(controls, all)}
<section>
  <h2>Ended</h2>
  !${ended.length === 0 ? html`<p class="empty">Nothing has ended yet.</p>` : renderEnded(view, ended, now)}
  <p><a href="${historyPath(view)}">Everything that ended</a></p>
</section>`;
}

/** Renders what stops the whole queue, with the reason. */
export function renderNotices(view: QueuePicture, now: number): string {
  const { status, statusReason, statusSince, freeze, stall, branch } = view;
  const notices = [
    status === "running"
      ? ""
      : notice(
          "amber",
          statusEffects[status],
          html`${asSentence(capitalised(renderReason(statusReason)))} <span class="quiet">For !${renderFor(statusSince, now)}.</span>`,
        ),
    stall ? stallNotice(view, stall, now) : "",
    freeze ? freezeNotice(freeze) : "",
    view.isBaseFailing
      ? notice("red", `${branch} fails by itself`, "Its last test without any pull request failed.")
      : "",
  ];
  return notices.join("");
}

const statusEffects = {
  paused: "Paused: no test starts, nothing merges",
  draining: "Draining: no test starts, what passed still merges",
  switching_modes: "Switching modes: no test starts until those in progress have ended",
} as const;

function notice(color: "amber" | "red", title: string, text: string): string {
  return html`<p class="notice ${color}"><strong>${title}.</strong> !${text}</p>`;
}

/** Only urgent pull requests merge. */
function freezeNotice(freeze: Freeze): string {
  return notice(
    "amber",
    `Frozen until ${renderEnd(freeze)}: only urgent pull requests merge`,
    html`${freeze.reason}`,
  );
}

/** Nothing merges, and what is in the way. */
function stallNotice(queue: QueueAddress, { since, pr, cause }: ExplainedStall, now: number): string {
  const text = html`${asSentence(cause.text)}`;
  return html`<p class="notice red"><strong>Nothing has merged for !${renderFor(since, now)}.</strong> First is !${renderChip(queue, pr)}: !${text}</p>`;
}
