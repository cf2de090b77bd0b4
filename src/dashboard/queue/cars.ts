import { html } from "ghtml";
import type { EntryState } from "../../engine/model/entry.ts";
import { asClause, listed } from "../../engine/reasons/sentence.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { MergeForecast } from "../../service/runtime/forecasts.ts";
import type { Car, QueueTracks, Track } from "../../service/runtime/queue-tracks.ts";
import { pullRequestPath } from "../paths.ts";

/** Parts of the drawing. All return HTML. The script `tracks.js` marks related parts by `data-car`. */

/** A pull request, shown by its number only. */
export function renderChip(queue: QueueAddress, pr: number, state = ""): string {
  return html`<a class="chip ${state}" data-car="${pr}" href="${pullRequestPath(queue, pr)}">#${pr}</a>`;
}

/** `building`: the commit of its test is being built. `waiting`: no test contains it. The last three: in a search for a culprit. */
export type CarState = EntryState | "building" | "merging" | "waiting" | "suspect" | "cleared" | "open";

const offTrack: readonly CarState[] = ["waiting", "suspect", "cleared", "open"];

const words: Readonly<Partial<Record<CarState, string>>> = { open: "tested later" };

/** A pull request with its title. What it depends on, and what depends on it, is shown while it is hovered or focused. */
export function renderCar(
  queue: QueueAddress,
  cars: QueueTracks["cars"],
  car: Car,
  state: CarState,
  note = "",
): string {
  const drawn = (prs: readonly number[]) => prs.filter((pr) => cars[pr]).join(" ");
  const priority = car.priority === null ? "" : html` <span class="tag">${car.priority}</span>`;
  return html`<div class="car ${state}" data-car="${car.pr}" data-ahead="${drawn(car.ahead)}" data-restarts="${drawn(car.restarts)}"><a href="${pullRequestPath(queue, car.pr)}"><b>#${car.pr}</b> <bdi>${car.title}</bdi></a><small>${words[state] ?? state.replaceAll("_", " ")}${note}!${priority}</small>!${renderTold(car, state)}</div>`;
}

/** The text about a pull request that is shown while it is hovered or focused. */
function renderTold({ pr, title, author, why, ahead, restarts }: Car, state: CarState): string {
  const below = ahead.length === 0 ? "the base" : listed(ahead);
  const above = restarts.length === 0 ? "no other test" : `the tests of ${listed(restarts)}`;
  return html`<p class="told"><span><b>#${pr}</b> <bdi>${title}</bdi> by <bdi>${author}</bdi>: ${asClause(why)}.</span> !${offTrack.includes(state) ? "" : html`<span class="ahead">Tested on top of ${below}.</span> `}!${state === "merging" ? "" : html`<span class="restarts">Cancelling it restarts ${above}.</span>`}</p>`;
}

export function renderChecks(checks: Track["checks"]): string {
  const marks = checks.map(
    ({ name, state }) => html`<span class="check ${state}" title="${name}: ${state}">${name}</span>`,
  );
  return marks.join("");
}

/** When something will probably happen, such as `in 4–9 min`. */
export function renderForecast({ p50, p90 }: MergeForecast, now: number): string {
  const [unit, ms] = p90 - now < 120 * 60_000 ? (["min", 60_000] as const) : (["h", 3_600_000] as const);
  const [likely, worst] = [p50, p90].map((at) => Math.max(1, Math.round((at - now) / ms)));
  return likely === worst ? `in about ${likely} ${unit}` : `in ${likely}–${worst} ${unit}`;
}
