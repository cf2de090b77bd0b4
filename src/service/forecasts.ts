import { type Forecast, forecast } from "../engine/explain/forecast.ts";
import type { QueueState } from "../engine/model/queue.ts";
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

/** What was foretold so recently of a queue that has not changed still holds. */
const freshMs = 2_000;
/** Of one that has changed, for a millisecond for every so many entries: a long queue's takes long, and people submit in bursts. */
const entriesPerMs = 10;

interface Made {
  readonly seq: number;
  readonly at: number;
  readonly all: ReadonlyMap<number, Forecast>;
}

/** Forecasts for whoever looks; for a long queue made only every so often, however often it changes. */
export class Forecasts {
  readonly #clock: Clock;
  readonly #made = new Map<string, Made>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time for which it foretells, in milliseconds since the epoch. */
  get now(): number {
    return this.#clock.now();
  }

  /** Null for what is not ready, has come in just now, or is kept by a queue that does not merge. */
  of(state: QueueState, pr: number): MergeForecast | null {
    const { at, all } = this.#recent(state);
    const found = all.get(pr);
    if (!found) return null;
    const { p50, p90 } = found;
    return { p50: Math.round(at + p50), p90: Math.round(at + p90), basedOn: state.history.testMs.length };
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
