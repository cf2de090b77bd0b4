import { Neighbourhood } from "./neighbourhood.ts";
import type { SimulatedPullRequest, Workload } from "./workload.ts";

const none = new Int32Array();

/** The pull requests of a workload by index, in order of submission, in arrays for fast access. */
export class Roster {
  readonly workload: Workload;
  readonly size: number;
  readonly minutes: Float64Array;
  readonly fails: Uint8Array;
  /** The median duration of a test. */
  readonly usualMinutes: number;
  readonly #indexes: ReadonlyMap<number, number>;
  readonly #conflicts: readonly Int32Array[];
  #neighbourhood: Neighbourhood | null = null;

  constructor(workload: Workload) {
    const { pullRequests } = workload;
    this.workload = workload;
    this.size = pullRequests.length;
    this.minutes = Float64Array.from(pullRequests, ({ minutes }) => minutes);
    this.usualMinutes = this.minutes.toSorted()[Math.floor(this.size / 2)] ?? 0;
    this.fails = Uint8Array.from(pullRequests, ({ fails }) => (fails ? 1 : 0));
    this.#indexes = new Map(pullRequests.map(({ n }, index) => [n, index]));
    const conflicts: number[][] = pullRequests.map(() => []);
    for (const { a, b } of workload.conflicts) {
      conflicts[this.indexOf(a)]?.push(this.indexOf(b));
      conflicts[this.indexOf(b)]?.push(this.indexOf(a));
    }
    this.#conflicts = conflicts.map((others) => (others.length === 0 ? none : Int32Array.from(others)));
  }

  pullRequest(index: number): SimulatedPullRequest {
    const found = this.workload.pullRequests[index];
    if (!found) throw new Error(`there is no pull request at ${index}`);
    return found;
  }

  /** Returns the index of a pull request by its number. */
  indexOf(n: number): number {
    const index = this.#indexes.get(n);
    if (index === undefined) throw new Error(`there is no pull request ${n}`);
    return index;
  }

  /** Returns the duration of a test of several pull requests. */
  longestMinutes(indexes: readonly number[]): number {
    return indexes.reduce((longest, index) => Math.max(longest, this.minutes[index] ?? 0), 0);
  }

  /** The pull requests that fail together with it, known or not. */
  conflictsOf(index: number): Int32Array {
    return this.#conflicts[index] ?? none;
  }

  /** The pull requests that share targets. Computed at the first access. */
  get neighbourhood(): Neighbourhood {
    this.#neighbourhood ??= new Neighbourhood(this.workload.pullRequests.map(({ targets }) => targets));
    return this.#neighbourhood;
  }
}
