import { html } from "ghtml";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { Car, Lane, QueueTracks, Track } from "../../service/runtime/queue-tracks.ts";
import { pullRequestPath } from "../paths.ts";
import { lasting } from "../pull-request/parts.ts";
import { renderSearch } from "./bisection.ts";

/** The pull requests ahead that are drawn in a track: of a longer chain, those next to it. */
const mostAhead = 5;

/** Renders what a queue tests on top of what, as one track for each test. */
export function renderTracks(queue: QueueAddress, tracks: QueueTracks): string {
  const drawing: Drawing = { queue, tracks };
  const lanes = tracks.lanes.map((lane, index) => renderLane(drawing, lane, index + 1));
  const searches = tracks.searches.map((search) => renderSearch(drawing, search));
  return html`<div class="yard">!${searches}!${lanes}!${renderRest(tracks)}</div>`;
}

/** What every part of the drawing needs. */
export interface Drawing {
  readonly queue: QueueAddress;
  readonly tracks: QueueTracks;
}

function renderLane(drawing: Drawing, { tracks, waiting }: Lane, place: number): string {
  const isOnly = drawing.tracks.lanes.length === 1;
  const rows = tracks.map((track) => renderTrack(drawing, track));
  const siding = waiting.length === 0 ? "" : renderWaiting(drawing, waiting);
  return html`!${isOnly ? "" : html`<h3>Lane ${place}</h3>`}<ol class="tracks">!${rows}!${siding}</ol>`;
}

function renderTrack(drawing: Drawing, track: Track): string {
  const { baseSha, cars } = drawing.tracks;
  const hidden = track.ahead.length - mostAhead;
  const ahead = hidden > 1 ? track.ahead.slice(hidden) : track.ahead;
  const more = track.ahead.slice(0, track.ahead.length - ahead.length).flat();
  const ghosts = ahead.map(
    (batch) => html`<li class="batch">!${batch.map((pr) => renderChip(drawing, pr))}</li>`,
  );
  const members = track.members.map((pr) => renderCar(drawing, cars[pr], track));
  return html`
<li class="track ${track.state}" id="track-${track.runId}">
<p class="name"><b>${nameOf(track)}</b> <small>${progressOf(drawing.tracks, track)}</small></p>
<ol class="rail"><li class="station" title="the base of the test"><code>${baseSha?.slice(0, 7) ?? "base"}</code></li>!${more.length === 0 ? "" : html`<li class="more">${more.length} more</li>`}!${ghosts}<li class="batch">!${members}</li></ol>
<p class="eta">${mergesIn(track, drawing.tracks.at)}</p>
</li>`;
}

function nameOf({ members, kind }: Track): string {
  if (kind === "base") return "Base alone";
  if (kind === "try") return "Try";
  if (kind === "spare") return "Spare test";
  return members.length > 1 ? `Batch of ${members.length}` : "Test";
}

const words: Readonly<Record<Track["state"], string>> = {
  building: "building its commit",
  running: "testing",
  passed: "passed",
  failed: "failed",
  merging: "merging",
};

function progressOf({ at, usualTestMs }: QueueTracks, { state, startedAt }: Track): string {
  if (state !== "running") return words[state];
  const usual = usualTestMs === null ? "" : ` of about ${lasting(usualTestMs)}`;
  return `${words.running} ${lasting(at - startedAt)}${usual}`;
}

function mergesIn({ state, merges }: Track, now: number): string {
  if (state === "merging") return "merges now";
  if (merges === null) return "";
  const minutes = (at: number) => Math.max(1, Math.round((at - now) / 60_000));
  const [likely, worst] = [minutes(merges.p50), minutes(merges.p90)];
  return likely === worst ? `merges in ${likely} min` : `merges in ${likely}–${worst} min`;
}

function renderCar({ queue }: Drawing, car: Car | undefined, { checks }: Track): string {
  if (!car) return "";
  const marks = checks.map(
    ({ name, state }) => html`<span class="check ${state}" title="${name}: ${state}">${name}</span>`,
  );
  return html`<div class="car ${car.state}" data-car="${car.pr}" data-ahead="${car.ahead.join(" ")}" data-restarts="${car.restarts.join(" ")}"><a href="${pullRequestPath(queue, car.pr)}">#${car.pr} <bdi>${car.title}</bdi></a>!${marks}</div>`;
}

/** A pull request in a place where its number is enough. */
export function renderChip({ queue }: Drawing, pr: number, state = ""): string {
  return html`<a class="chip ${state}" data-car="${pr}" href="${pullRequestPath(queue, pr)}">#${pr}</a>`;
}

function renderWaiting(drawing: Drawing, waiting: readonly number[]): string {
  const chips = waiting.map((pr) => renderChip(drawing, pr));
  return html`<li class="track waiting"><p class="name"><b>Waiting</b></p><p class="rail">!${chips}</p></li>`;
}

function renderRest({ moreTracks, moreWaiting }: QueueTracks): string {
  if (moreTracks + moreWaiting === 0) return "";
  return html`<p class="quiet">${moreTracks} more tests, ${moreWaiting} more wait.</p>`;
}
