import { html } from "ghtml";
import { counted } from "../../engine/reasons/sentence.ts";
import type { PastMarks, PastQueue } from "../../service/queues/queue-past.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { pastPath, queuePath } from "../paths.ts";
import { lasting } from "../pull-request/parts.ts";
import { renderEntries } from "../queue/entry-tables.ts";
import { renderNotices } from "../queue/queue-page.ts";
import { renderTracks } from "../queue/tracks.ts";
import { renderAxis } from "./axis.ts";
import { renderHappened } from "./happened.ts";
import { instant } from "./instant.ts";
import type { PastWindow } from "./past-window.ts";

/** What a page of the past shows; null = the service has not prepared it yet. */
export interface PastContent {
  readonly queue: PastQueue | null;
  readonly marks: PastMarks | null;
}

/** Renders what a queue looked like at a moment, with a slider over its past. */
export function renderPast(address: QueueAddress, window: PastWindow, content: PastContent): string {
  const { queue, marks } = content;
  const { problem } = window;
  const { repo, branch } = address;
  return html`
<main class="past">
<section class="head">
  <h1><span class="quiet">${repo.owner}/</span>${repo.name} <span class="branch">${branch}</span> <span class="quiet">in the past</span></h1>
  !${problem === null ? "" : html`<p class="problem">“<bdi>${problem}</bdi>” is not a time. Write it in UTC, such as 2026-11-28T14:05:00Z.</p>`}
</section>
!${renderAxis(address, window, marks)}
<section id="moment" data-at="${window.at}">
!${queue === null ? unprepared(window) : renderMoment(address, window, queue)}
</section>
</main>`;
}

function unprepared({ at }: PastWindow): string {
  return html`<h2>!${instant(at)}</h2><p class="empty">The log of this queue is long, and its past is still being prepared after an update. Try again in some minutes.</p>`;
}

function renderMoment(address: QueueAddress, window: PastWindow, past: PastQueue): string {
  const { view, createdAt, next } = past;
  const { at } = window;
  const last = past.happened[0]?.at ?? null;
  const isNow = last !== null && at - last < 1000;
  const previous = isNow ? past.previous : last;
  const step = (to: number | null, text: string, id: string) =>
    to === null
      ? html`<span class="quiet">${text}</span>`
      : html`<a id="${id}" href="${pathTo(address, window, to)}" hx-get="${pathTo(address, window, to)}" hx-target="main" hx-select="main" hx-swap="outerMorph" hx-push-url="true">${text}</a>`;
  const steps = html`<nav class="steps-in-time" aria-label="Events">!${step(previous, "← Previous event", "previous")} !${step(next, "Next event →", "next")} <a href="${queuePath(address)}">Back to now</a></nav>`;
  if (view === null)
    return html`<h2>!${instant(at)}</h2>!${steps}<p class="empty">The queue did not exist yet. It was created on !${instant(createdAt)}, and nothing is known of what was before.</p>`;
  return html`
  <h2 aria-live="polite" aria-atomic="true">!${instant(at)} <small>!${summaryOf(past, view)}</small></h2>
  !${steps}
  !${last === null ? "" : renderEvents(address, past, isNow ? null : at - last)}
  !${renderNotices(view, at)}
  !${view.entries.length + view.tracks.others.length === 0 ? "" : html`<h3>Tracks <span class="quiet">what was tested on top of what</span></h3>!${renderTracks(address, view.tracks)}`}
  <h3>In the queue <span class="count">${past.ready}</span></h3>
  !${past.ready === 0 ? html`<p class="empty">Nothing was waiting.</p>` : renderEntries(view, view.entries, { now: at, controls: null, all: past.ready, pages: { from: window.place, pathTo: (place) => pathTo(address, window, at, place) } })}
  !${view.awaitingReadiness.length === 0 ? "" : html`<h3>Not ready yet <span class="count">${past.notReady}</span></h3>!${renderEntries(view, view.awaitingReadiness, { now: at, controls: null, all: past.notReady, pages: null })}`}`;
}

/** The path to another moment, or to another part of its list. The axis stays where it is if it shows that moment. */
function pathTo(address: QueueAddress, { span, from, to }: PastWindow, at: number, place = 0): string {
  const end = at >= from && at <= to ? { end: to } : {};
  return pastPath(address, { at, span, ...end, ...(place === 0 ? {} : { from: place }) });
}

type View = NonNullable<PastQueue["view"]>;

function summaryOf({ ready, testing }: PastQueue, { status }: View): string {
  return html`<span class="state ${status}">${status.replaceAll("_", " ")}</span> ${ready} in the queue, ${counted(testing, "test")} in progress`;
}

/** @param ago how long before the moment they happened, in milliseconds; null = at the moment */
function renderEvents(address: QueueAddress, { happened }: PastQueue, ago: number | null): string {
  const heading = ago === null ? "At this moment" : `Last event, ${lasting(ago)} before`;
  const items = happened.map(({ data }) => html`<li>!${renderHappened(address, data)}</li>`);
  return html`<h3>${heading}</h3><ul class="happened">!${items}</ul>`;
}
