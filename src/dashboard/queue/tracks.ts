import { html } from "ghtml";
import { counted, listed } from "../../engine/reasons/sentence.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { Car, Lane, QueueTracks, Track } from "../../service/runtime/queue-tracks.ts";
import { renderDuration } from "../times.ts";
import { renderSearch } from "./bisection.ts";
import { type CarState, renderCar, renderChecks, renderChip, renderForecast } from "./cars.ts";

export const tracksAssets = ["tracks.css", "tracks.js"];

/** The length of a track, and of its parts, in chips. If the chain ahead is longer, only the batches next to the test are drawn. */
const roomOfTrack = 17.5;
const sizes = { onlyCar: 4.5, carOfBatch: 3, gap: 0.9 };

/** Renders what a queue tests on top of what: a track for each test, the searches for culprits, and what waits. */
export function renderTracks(queue: QueueAddress, tracks: QueueTracks): string {
  const lanes = tracks.lanes.map((lane, index) =>
    renderLane(queue, tracks, lane, tracks.lanes.length > 1 ? index + 1 : null),
  );
  const searches = tracks.searches.map((search) => renderSearch(queue, tracks, search));
  const others = tracks.others.map((track) => renderTrack(queue, tracks, track));
  return html`<div class="yard">!${searches}!${lanes.length === 0 ? "" : html`<div class="lanes">!${lanes}</div>`}!${others.length === 0 ? "" : html`<section><h3>Beside the queue</h3><ol class="tracks">!${others}</ol></section>`}!${renderRest(tracks)}</div>`;
}

function renderLane(queue: QueueAddress, all: QueueTracks, lane: Lane, place: number | null): string {
  const { tracks, waiting } = lane;
  const rows = tracks.map((track) => renderTrack(queue, all, track));
  const heading =
    place === null
      ? ""
      : html`<h3>${tracks.length === 0 ? "No lane yet" : `Lane ${place}`} <span class="quiet">${tracks.length === 0 ? "waits for none of the tests" : "waits for no other lane"}</span></h3>`;
  return html`<section class="lane">!${heading}<ol class="tracks">!${rows}!${waiting.length === 0 ? "" : renderWaiting(queue, all, waiting, place === null ? all.moreWaiting : 0)}</ol></section>`;
}

function renderTrack(queue: QueueAddress, all: QueueTracks, track: Track): string {
  const { cars, at } = all;
  const cut = hiddenAhead(track);
  const hidden = track.ahead.slice(0, cut).flat();
  const ahead = track.ahead
    .slice(cut)
    .map(
      (batch) => html`<li class="batch ahead">!${batch.map((pr) => renderChip(queue, pr)).join(" ")}</li>`,
    );
  const members = track.members.map((pr) => {
    const car = cars[pr];
    return car ? renderCar(queue, cars, car, stateOf(track, car)) : html`<span class="chip">#${pr}</span>`;
  });
  const merges =
    track.state === "merging" ? "merges now" : track.merges && `merges ${renderForecast(track.merges, at)}`;
  return html`
<li class="track ${track.state} ${track.kind}" id="track-${track.runId}">
  <div class="name"><b>${nameOf(track)}</b> !${progress(all, track)}<small>${noteOf(track)}</small></div>
  <ol class="rail">!${station(all)}!${hidden.length === 0 ? "" : html`<li class="hidden">${hidden.length} more</li>`}!${ahead}!${members.length === 0 ? "" : html`<li class="batch">!${members}</li>`}</ol>
  <div class="eta"><span>${merges ?? ""}</span> <div class="marks">!${renderChecks(track.checks)}</div></div>
</li>`;
}

/** The number of batches ahead for which a track has no room. */
function hiddenAhead({ ahead, members }: Track): number {
  let room = roomOfTrack - (members.length === 1 ? sizes.onlyCar : sizes.carOfBatch * members.length);
  const fitting = ahead.toReversed().findIndex((batch, index) => {
    room -= batch.length + sizes.gap;
    return room < 0 && index > 0;
  });
  return fitting < 0 ? 0 : ahead.length - fitting;
}

/** The state to draw: an entry stays pending while its test commit is built. */
function stateOf({ state }: Track, car: Car): CarState {
  return state === "merging" || (state === "building" && car.state === "pending") ? state : car.state;
}

function station({ branch, baseSha }: QueueTracks): string {
  return html`<li class="station" title="${branch}"><code>${baseSha?.slice(0, 7) ?? "base"}</code></li>`;
}

function nameOf({ members, kind, state }: Track): string {
  if (kind === "base") return "The base alone";
  if (kind === "try") return "Try";
  if (kind === "alone") return "Test alone";
  const what = members.length > 1 ? `Batch of ${members.length}` : "Test";
  return state === "merging" ? "Merge" : kind === "spare" ? `Spare ${what.toLowerCase()}` : what;
}

const notes = {
  main: "",
  spare: "another test may decide first",
  alone: "more likely to fail than others",
  base: "is it broken?",
  try: "queues and merges nothing",
} as const satisfies Record<Track["kind"], string>;

function noteOf({ without, kind }: Track): string {
  if (without.length === 0) return notes[kind];
  return `counts if ${listed(without)} leave${without.length === 1 ? "s" : ""}`;
}

/** The progress of a test, compared with the usual duration. */
function progress({ at, usualTestMs }: QueueTracks, { state, startedAt }: Track): string {
  if (state !== "running") return "";
  const took = renderDuration(at - startedAt);
  if (usualTestMs === null || usualTestMs === 0) return html`<small>running for ${took}</small>`;
  const percent = Math.min(99, Math.round((100 * (at - startedAt)) / usualTestMs));
  const text = `${took} of about ${renderDuration(usualTestMs)}`;
  return html`<small>${text}</small><progress max="100" value="${percent}" aria-label="${text}"></progress>`;
}

/** The first pull requests that no test contains yet. */
function renderWaiting(
  queue: QueueAddress,
  { cars }: QueueTracks,
  prs: readonly number[],
  more: number,
): string {
  const shown = prs.flatMap((pr) => {
    const car = cars[pr];
    return car ? [html`<li class="batch">!${renderCar(queue, cars, car, "waiting")}</li>`] : [];
  });
  return html`
<li class="track waiting">
  <div class="name"><b>Waiting</b> <small>for a test</small></div>
  <ol class="rail">!${shown}!${more === 0 ? "" : html`<li class="hidden">${more} more</li>`}</ol>
</li>`;
}

/** What is not drawn. In which lane further pull requests would wait is not known. */
function renderRest({ moreTracks, moreWaiting, lanes }: QueueTracks): string {
  const parts = [
    ...(moreTracks === 0 ? [] : [counted(moreTracks, "more test")]),
    ...(moreWaiting === 0 || lanes.length < 2 ? [] : [counted(moreWaiting, "more waiting pull request")]),
  ];
  if (parts.length === 0) return "";
  return html`<p class="quiet">Not drawn, but in the table: ${parts.join(" and ")}.</p>`;
}
