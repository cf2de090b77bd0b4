import { monitorEventLoopDelay } from "node:perf_hooks";

/** Measures how long this process was kept from reading requests. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#histogram.enable();
  }

  /** The longest delay since the start, in milliseconds. */
  get longestMs(): number {
    return this.#histogram.max / 1e6;
  }

  stop(): void {
    this.#histogram.disable();
  }
}
