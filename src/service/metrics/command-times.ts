import { nameKey } from "../../engine/model/names.ts";
import type { Histogram } from "../runtime/histogram.ts";

/** Upper bounds in seconds. */
export const commandBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The durations of commands, from request to response, in this process since it started. */
export class CommandTimes {
  /** By organisation, then by command. */
  readonly #times = new Map<string, Map<string, { counts: number[]; sum: number }>>();

  observe(organisation: string, command: string, seconds: number): void {
    const key = nameKey(organisation);
    const own = this.#times.get(key) ?? new Map<string, { counts: number[]; sum: number }>();
    this.#times.set(key, own);
    const times = own.get(command) ?? { counts: [...commandBounds.map(() => 0), 0], sum: 0 };
    own.set(command, times);
    const found = commandBounds.findIndex((bound) => seconds <= bound);
    const bucket = found < 0 ? commandBounds.length : found;
    times.counts[bucket] = (times.counts[bucket] ?? 0) + 1;
    times.sum += seconds;
  }

  of(organisation: string): ReadonlyMap<string, Histogram> {
    return this.#times.get(nameKey(organisation)) ?? new Map();
  }
}
