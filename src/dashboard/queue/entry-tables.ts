import { html } from "ghtml";
import type { ExplainLink } from "../../engine/explain/explain-link.ts";
import type { Entry } from "../../engine/model/entry.ts";
import { renderProof, renderReason } from "../../engine/reasons/render-reason.ts";
import { listed } from "../../engine/reasons/sentence.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { checksOf } from "../../service/runtime/tracks-of.ts";
import type { QueueItemView, QueuePicture } from "../../service/runtime/views.ts";
import { type Controls, renderSelection } from "../controls/controls.ts";
import { pullRequestPath } from "../paths.ts";
import { renderTable } from "../table.ts";
import { renderAgo, renderFor } from "../times.ts";
import { renderChecks, renderForecast } from "./cars.ts";

export const listedAtOnce = 50;

interface Listing {
  readonly now: number;
  readonly controls: Controls | null;
  /** The number of all pull requests of the list, of which a part is given. */
  readonly all: number;
  /** Where the other parts are; null = nowhere. */
  readonly pages: Pages | null;
}

interface Pages {
  /** The number of pull requests before the first that is listed. */
  readonly from: number;
  pathTo(from: number): string;
}

/** Renders pull requests in the queue as a table: the same as the drawing, and everything that it leaves out. */
export function renderEntries(
  view: QueuePicture,
  items: readonly QueueItemView[],
  { now, controls, all, pages }: Listing,
): string {
  const rows = items.map((item) => {
    const { entry, run, ahead, position, forecast, why } = item;
    return {
      id: `pr-${entry.pr}`,
      cells: [
        html`!${renderSelection(controls, entry)}${position ?? ""}`,
        pullRequest(view, entry),
        state(entry),
        html`<span class="long">${why.map(textOf).join(" → ")}</span>!${stack(view, entry, ahead)}!${forecast === null ? "" : html` <small>merges ${renderForecast(forecast, now)}</small>`}`,
        run ? renderChecks(checksOf(run)) : "",
        renderFor(entry.stateChangedAt, now),
      ],
    };
  });
  const columns = [
    { label: "Place", kind: "number" },
    { label: "Pull request", kind: "main" },
    "State",
    "Why",
    "Checks",
    { label: "For", kind: "time" },
  ] as const;
  return renderTable(columns, rows) + pager(pages, items.length, all);
}

/** The text of a cause. If slots are lacking, includes the pull requests that use them. */
function textOf({ code, text, refs }: ExplainLink): string {
  // Why the queue is stopped or frozen stands above the list.
  if (code === "QUEUE_NOT_RUNNING" || code === "FROZEN") return text.replace(/\. The reason: .*/s, "");
  const prs = refs.flatMap((ref) => (/^#\d+$/.test(ref) ? [Number(ref.slice(1))] : []));
  return code === "NO_FREE_SLOT" && prs.length > 0 && !text.includes("#")
    ? `${text}, held by ${listed(prs)}`
    : text;
}

function pager(pages: Pages | null, shown: number, all: number): string {
  if (shown === all) return "";
  if (pages === null) return html`<p class="quiet">${all - shown} more.</p>`;
  const { from, pathTo } = pages;
  const end = from + shown;
  const link = (place: number, text: string) => html`<a href="${pathTo(Math.max(0, place))}">${text}</a>`;
  const place = shown === 0 ? `none of ${all}` : `${from + 1}–${end} of ${all}`;
  return html`<p class="pages">!${from > 0 ? link(Math.min(from, all) - listedAtOnce, "Previous") : ""} <span class="quiet">${place}</span> !${end < all ? link(end, "Next") : ""}</p>`;
}

/** Renders pull requests that have left the queue. */
export function renderEnded(queue: QueueAddress, entries: readonly Entry[], now: number): string {
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

/** What it is tested on top of, and what is tested on top of it. */
function stack({ tracks }: QueuePicture, { pr }: Entry, ahead: readonly number[]): string {
  const restarts = tracks.cars[pr]?.restarts ?? [];
  const parts = [
    ...(ahead.length > 0 ? [`on top of ${listed(ahead)}`] : []),
    ...(restarts.length > 0 ? [`cancelling it restarts ${listed(restarts)}`] : []),
  ];
  return parts.length === 0 ? "" : html` <small>${parts.join(" · ")}</small>`;
}

/** Renders the proof that the merged tree is the tested one. */
function proof(entry: Entry): string {
  const { reason } = entry;
  if (reason.code !== "MERGED_IN_ORDER" && reason.code !== "DIRECT_MERGED") return "";
  return html`<span class="proof">${renderProof(reason.proof)}</span>`;
}
