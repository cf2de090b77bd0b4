import type { TestRun } from "../../engine/model/test-run.ts";
import type { Ending, PullRequestOutcome } from "../outcome.ts";
import type { Roster } from "../workload/roster.ts";

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

const endings: readonly Ending[] = ["undecided", "merged", "rejected", "cancelled"];

/** Records the ending of each pull request and the use of CI. */
export class Ledger {
  broken = 0;
  runs = 0;
  ciMinutes = 0;
  readonly #roster: Roster;
  readonly #ending: Uint8Array;
  readonly #endedAt: Float64Array;
  readonly #falseRejections: Uint16Array;
  readonly #runsOf: Uint16Array;
  #undecided: number;

  constructor(roster: Roster) {
    this.#roster = roster;
    this.#undecided = roster.size;
    this.#ending = new Uint8Array(roster.size);
    this.#endedAt = new Float64Array(roster.size);
    this.#falseRejections = new Uint16Array(roster.size);
    this.#runsOf = new Uint16Array(roster.size);
  }

  get undecided(): number {
    return this.#undecided;
  }

  isDecided(index: number): boolean {
    return this.#ending[index] !== 0;
  }

  /** Only the first ending counts. The judge reports a second one. */
  end(index: number, ending: Exclude<Ending, "undecided">, at: number): void {
    if (this.isDecided(index)) return;
    this.#ending[index] = endings.indexOf(ending);
    this.#endedAt[index] = at;
    this.#undecided--;
  }

  rejectFalsely(index: number): void {
    this.#falseRejections[index] = (this.#falseRejections[index] ?? 0) + 1;
  }

  start(tree: readonly number[]): void {
    this.runs++;
    for (const index of tree) this.#runsOf[index] = (this.#runsOf[index] ?? 0) + 1;
  }

  get pullRequests(): PullRequestOutcome[] {
    return this.#roster.workload.pullRequests.map(({ n, at }, index) => ({
      n,
      at,
      ending: endings[this.#ending[index] ?? 0] ?? "undecided",
      endedAt: this.isDecided(index) ? (this.#endedAt[index] ?? null) : null,
      falseRejections: this.#falseRejections[index] ?? 0,
      runs: this.#runsOf[index] ?? 0,
    }));
  }
}
