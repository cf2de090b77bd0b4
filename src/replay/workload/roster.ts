import type { SimulatedPullRequest, Targets, Workload } from "./workload.ts";

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

/**
 * The pull requests that share a target, by index. A pull request that impacts every target is a neighbour of all that impact
 * any. Its neighbours are not stored, because that would need memory quadratic in the number of such pull requests.
 */
export class Neighbourhood {
  readonly #isAll: Uint8Array;
  /** Pull requests that impact any target. */
  readonly #anywhere: Int32Array;
  /** The neighbours of pull requests that name their targets, ascending. */
  readonly #named: readonly Int32Array[];

  constructor(targets: readonly Targets[]) {
    this.#isAll = Uint8Array.from(targets, (own) => (own === "ALL" ? 1 : 0));
    this.#anywhere = Int32Array.from(targets.flatMap((own, index) => (own.length > 0 ? [index] : [])));
    this.#named = collect(targets);
  }

  /** Returns all pull requests that share a target with this one, ascending. */
  of(index: number): Int32Array {
    if (!this.#isAll[index]) return this.#named[index] ?? new Int32Array();
    return this.#anywhere.filter((other) => other !== index);
  }

  has(a: number, b: number): boolean {
    if (a === b) return false;
    return includes(this.#isAll[a] ? this.#anywhere : (this.#named[a] ?? new Int32Array()), b);
  }
}

/** Returns the neighbours of pull requests that name their targets. */
function collect(targets: readonly Targets[]): Int32Array[] {
  const sharers = new Map<string, number[]>();
  const everywhere: number[] = [];
  for (const [index, own] of targets.entries()) {
    if (own === "ALL") everywhere.push(index);
    else for (const target of new Set(own)) append(sharers, target, index);
  }
  return targets.map((own, index) => {
    if (own === "ALL" || own.length === 0) return new Int32Array();
    const neighbours = new Set(everywhere);
    for (const target of own) for (const other of sharers.get(target) ?? []) neighbours.add(other);
    neighbours.delete(index);
    return Int32Array.from(neighbours).sort();
  });
}

function append(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function includes(sorted: Int32Array, wanted: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
