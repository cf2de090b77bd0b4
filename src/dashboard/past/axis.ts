import { html } from "ghtml";
import { counted } from "../../engine/reasons/sentence.ts";
import type { Mark, PastMarks, Stop } from "../../service/queues/queue-past.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { pastPath } from "../paths.ts";
import { lasting } from "../pull-request/parts.ts";
import { instant, minute } from "./instant.ts";
import { type PastWindow, spanNames, spans } from "./past-window.ts";

/** The width of a strip, in its own units, and the number of bars in it. */
const width = 720;
const bars = 120;
const mostListed = 40;

export const stopNames: Readonly<Record<Exclude<Stop, null>, string>> = {
  paused: "paused",
  draining: "draining",
  switching_modes: "switching modes",
  frozen: "frozen",
  stalled: "stalled",
};

/** Renders the slider over a part of the past, and what happened in it; null = the marks are not known yet. */
export function renderAxis(queue: QueueAddress, window: PastWindow, marks: PastMarks | null): string {
  const { at, from, to, isFirst, isLast, span, step } = window;
  const choices = spanNames.map((name) =>
    name === span
      ? html`<b aria-current="true">${spans[name].text}</b> `
      : html`<a href="${pastPath(queue, { at, span: name })}">${spans[name].text}</a> `,
  );
  const clock = new Date(at).toISOString().slice(0, 19);
  return html`
<section class="axis">
  <form id="axis" method="get" action="${pastPath(queue)}" hx-get="${pastPath(queue)}" hx-trigger="input delay:150ms" hx-target="#moment" hx-select="#moment" hx-swap="outerMorph" hx-replace-url="true" hx-sync="this:replace">
    <input type="hidden" name="span" value="${span}"><input type="hidden" name="end" value="${to}">
    !${marks === null ? "" : renderStrips(window, marks)}
    <div class="slider">
      <span><button type="button" class="button" id="play" hidden>Play</button><noscript><button class="button">Show</button></noscript></span>
      <input type="range" id="at" name="at" min="${from}" max="${to}" step="${step}" value="${at}" aria-label="Moment" aria-valuetext="${clock.replace("T", " ")} UTC">
    </div>
    <p class="ends">!${minute(from)} <output for="at"></output> !${minute(to)}</p>
  </form>
  <form class="search" method="get" action="${pastPath(queue)}">
    <label>Time in UTC <input type="datetime-local" name="at" step="1" value="${clock}" required></label>
    <input type="hidden" name="span" value="${span}">
    <button>Go there</button>
    <p class="spans">Show !${isFirst ? "" : html`<a href="${pastPath(queue, { at: at - (to - from), span })}" aria-label="the time before">←</a> `}!${choices}!${isLast ? "" : html` <a href="${pastPath(queue, { at: at + (to - from), span })}" aria-label="the time after">→</a>`}</p>
  </form>
  !${marks === null ? "" : renderList(queue, window, marks.marks)}
</section>`;
}

function renderStrips(window: PastWindow, { marks, stop }: PastMarks): string {
  const count = (what: "merged" | "failed") =>
    marks.filter((mark) => "what" in mark && mark.what === what).length;
  const stops = bandsOf(window, marks, stop);
  const names = [...new Set(stops.map((band) => stopNames[band.stop]))];
  const total = stops.reduce((sum, band) => sum + band.end - band.at, 0);
  const rects = stops.map((band) => {
    const x = placeOf(window, band.at);
    const title = `${stopNames[band.stop]} for ${lasting(band.end - band.at)}`;
    return html`<rect x="${x}" y="0" width="${Math.max(2, placeOf(window, band.end) - x)}" height="10"><title>${title}</title></rect>`;
  });
  const label = names.length === 0 ? "never stopped" : `${names.join(", ")} ${lasting(total)}`;
  return html`
    !${strip("merged", `${count("merged")} merged`, barsOf(window, marks, "merged"))}
    !${strip("failed", `${count("failed")} failed`, barsOf(window, marks, "failed"))}
    !${strip("stopped", label, rects.join(""))}`;
}

function strip(kind: string, name: string, content: string): string {
  return html`<div class="strip ${kind}"><span>${name}</span><svg viewBox="0 0 ${width} 10" preserveAspectRatio="none" role="img" aria-label="${name}">!${content}</svg></div>`;
}

function placeOf({ from, to }: PastWindow, at: number): number {
  return Math.round((width * (at - from)) / (to - from));
}

function barsOf(window: PastWindow, marks: readonly Mark[], what: "merged" | "failed"): string {
  const counts = new Map<number, number>();
  for (const mark of marks) {
    if (!("what" in mark) || mark.what !== what) continue;
    const bar = Math.min(bars - 1, Math.floor((placeOf(window, mark.at) * bars) / width));
    counts.set(bar, (counts.get(bar) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  const rects = [...counts].map(([bar, count]) => {
    const height = Math.round(3 + (7 * count) / most);
    return html`<rect x="${(bar * width) / bars}" y="${10 - height}" width="${width / bars - 1}" height="${height}"><title>${count} ${what}</title></rect>`;
  });
  return rects.join("");
}

interface Band {
  readonly at: number;
  readonly end: number;
  readonly stop: Exclude<Stop, null>;
}

/** When the queue was stopped. */
function bandsOf(window: PastWindow, marks: readonly Mark[], atFirst: Stop): readonly Band[] {
  const changes = marks.flatMap((mark) => ("stop" in mark ? [mark] : []));
  const starts = [{ at: window.from, stop: atFirst }, ...changes];
  return starts.flatMap(({ at, stop }, index) => {
    const end = starts[index + 1]?.at ?? window.to;
    return stop === null ? [] : [{ at, end, stop }];
  });
}

/** The failures and stops as links, the last first, for the keyboard and for screen readers. */
function renderList(queue: QueueAddress, { span, to }: PastWindow, marks: readonly Mark[]): string {
  const shown = marks.filter((mark) => "stop" in mark || mark.what === "failed");
  if (shown.length === 0) return "";
  const items = shown
    .slice(-mostListed)
    .reverse()
    .map((mark) => {
      const { at } = mark;
      const text =
        "what" in mark ? `#${mark.pr} failed` : mark.stop === null ? "running" : stopNames[mark.stop];
      return html`<li><a href="${pastPath(queue, { at, span, end: to })}">!${instant(at)} ${text}</a></li>`;
    });
  const more = shown.length - items.length;
  return html`<details><summary>${counted(shown.length, "failure or stop", "failures and stops")}</summary><ol class="stops">!${items}</ol>!${more > 0 ? html`<p class="quiet">and ${more} earlier ones</p>` : ""}</details>`;
}
