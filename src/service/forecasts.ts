import { type Forecast, forecast } from "../engine/forecast.ts";
import type { QueueState } from "../engine/queue.ts";
import type { Clock } from "../ports/runtime.ts";

/** When an entry will merge, if it does; in milliseconds since the epoch. */
export interface MergeForecast {
  /** As likely sooner as later. */
  readonly p50: number;
  /** Nine times in ten sooner. */
  readonly p90: number;
  /** So many verdicts on test runs the queue has seen, of those that it remembers; 0 = nothing but a guess. */
  readonly basedOn: number;
}

/** What was foretold so recently still holds. */
const freshMs = 2_000;
/** An entry that has come in since then is worth another look only after so long: people submit in bursts. */
const restMs = 500;

interface Made {
  readonly at: number;
  readonly all: ReadonlyMap<number, Forecast>;
}

/** Forecasts for whoever looks: made at most every so often for each queue, however often it changes. */
export class Forecasts {
  readonly #clock: Clock;
  readonly #made = new Map<string, Made>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Null for what is not ready, has come in just now, or is kept by a queue that does not merge. */
  of(state: QueueState, pr: number): MergeForecast | null {
    const { at, all } = this.#recent(state, pr);
    const found = all.get(pr);
    if (!found) return null;
    const { p50, p90 } = found;
    return { p50: Math.round(at + p50), p90: Math.round(at + p90), basedOn: state.history.testMs.length };
  }

  #recent(state: QueueState, pr: number): Made {
    const now = this.#clock.now();
    const known = this.#made.get(state.id);
    if (known && now - known.at < (known.all.has(pr) ? freshMs : restMs)) return known;
    const made = { at: now, all: forecast(state, now) };
    this.#made.set(state.id, made);
    return made;
  }
}
