import type { TestRun } from "../../engine/model/test-run.ts";

/** A test run as CI sees it. Pull requests are indices, times are minutes. */
export interface CiRun {
  readonly id: string;
  readonly composition: Pick<TestRun, "kind" | "base" | "ahead" | "members" | "ofBase">;
  /** All unmerged pull requests that it tests, in order, members last. */
  readonly tree: readonly number[];
  readonly members: readonly number[];
  /** Number of merges in its base. */
  readonly baseSize: number;
}

interface Running {
  readonly run: CiRun;
  readonly startedAt: number;
}

/** Runs tests on a fixed number of workers, in the order of the requests. */
export class Ci {
  /** The duration of all runs so far, including the partial duration of discarded runs. */
  minutes = 0;
  readonly #workers: number;
  readonly #begin: (run: CiRun) => void;
  readonly #waiting = new Map<string, CiRun>();
  readonly #running = new Map<string, Running>();

  /** @param begin called with each run when a worker takes it */
  constructor(workers: number, begin: (run: CiRun) => void) {
    this.#workers = workers;
    this.#begin = begin;
  }

  isRunning(run: CiRun): boolean {
    return this.#running.has(run.id);
  }

  request(run: CiRun, now: number): void {
    this.#waiting.set(run.id, run);
    this.#fill(now);
  }

  /** Frees the worker of a run that has ended or is no longer needed. */
  release(id: string, now: number): void {
    this.#waiting.delete(id);
    const running = this.#running.get(id);
    if (!running) return;
    this.#running.delete(id);
    this.minutes += now - running.startedAt;
    this.#fill(now);
  }

  #fill(now: number): void {
    for (const run of this.#waiting.values()) {
      if (this.#running.size >= this.#workers) return;
      this.#waiting.delete(run.id);
      this.#running.set(run.id, { run, startedAt: now });
      this.#begin(run);
    }
  }
}
