import { type Forecast, forecast } from "../../engine/forecast/forecast.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";

/** When an entry will merge, if it merges; in milliseconds since the epoch. */
export interface MergeForecast {
  /** The median: it merges sooner or later than this with equal probability. */
  readonly p50: number;
  /** It merges before this with a probability of 90 %. */
  readonly p90: number;
  /** The number of remembered test durations that the forecast is based on, at least 1. */
  readonly basedOn: number;
}

/** How long a forecast of an unchanged queue stays valid. */
const freshMs = 2_000;
/**
 * A forecast of a changed queue stays valid for one millisecond per this many entries: forecasting a long
 * queue takes long, and people submit in bursts.
 */
const entriesPerMs = 10;

interface Made {
  readonly seq: number;
  readonly at: number;
  readonly all: ReadonlyMap<number, Forecast>;
}

/**
 * Computes forecasts on request, and caches them. The forecasts of a long queue are recomputed only at
 * intervals, however often the queue changes.
 */
export class Forecasts {
  readonly #clock: Clock;
  readonly #made = new Map<string, Made>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The current time, in milliseconds since the epoch. */
  get now(): number {
    return this.#clock.now();
  }

  /**
   * Null for an entry that is not ready, has just arrived, or is in a queue that does not merge. Null in a queue that has seen no test
   * end: the forecast would only be a guess.
   */
  of(state: QueueState, pr: number): MergeForecast | null {
    const basedOn = state.history.testMs.length;
    if (basedOn === 0) return null;
    const { at, all } = this.#recent(state);
    const found = all.get(pr);
    if (!found) return null;
    const { p50, p90 } = found;
    return { p50: Math.round(at + p50), p90: Math.round(at + p90), basedOn };
  }

  #recent(state: QueueState): Made {
    const now = this.#clock.now();
    const known = this.#made.get(state.id);
    const holds = known?.seq === state.seq ? freshMs : state.entries.size / entriesPerMs;
    if (known && now - known.at < holds) return known;
    const made = { seq: state.seq, at: now, all: forecast(state, now) };
    this.#made.set(state.id, made);
    return made;
  }
}
