import { draw } from "./random-source.ts";
import type { Roster } from "./roster.ts";
import { staleMinutes } from "./workload.ts";

const never = 2 ** 31 - 1;

/** The truth, whether or not it was detected: which trees pass, what the base contains, which runs flake. */
export class Truth {
  readonly #roster: Roster;
  readonly #seed: number;
  readonly #flakeRate: number;
  readonly #durationNoise: number;
  /** The last submission of each pull request, in minutes. */
  readonly #submittedAt: Float64Array;
  readonly #mergedAt: Float64Array;
  /** The position of each pull request in the base, from 0. */
  readonly #place: Int32Array;
  /** The number of the most recent tree that contained each pull request. */
  readonly #seenIn: Int32Array;
  #trees = 0;
  #baseSize = 0;

  constructor(roster: Roster) {
    const { seed, flakeRate, durationNoise } = roster.workload.settings;
    this.#roster = roster;
    this.#seed = seed;
    this.#flakeRate = flakeRate;
    this.#durationNoise = durationNoise;
    this.#submittedAt = Float64Array.from(roster.workload.pullRequests, ({ at }) => at);
    this.#mergedAt = new Float64Array(roster.size).fill(Number.POSITIVE_INFINITY);
    this.#place = new Int32Array(roster.size).fill(never);
    this.#seenIn = new Int32Array(roster.size);
  }

  /** Number of merges in the base. This number also identifies the base of a tree. */
  get baseSize(): number {
    return this.#baseSize;
  }

  /** Whether the base contained the pull request when it had this number of merges. */
  isInBase(index: number, baseSize: number): boolean {
    return (this.#place[index] ?? never) < baseSize;
  }

  submit(index: number, at: number): void {
    this.#submittedAt[index] = at;
  }

  /**
   * Merges, and returns whether the base broke. A merge that breaks the base is reverted at once, so later runs do not contain
   * it.
   */
  merge(index: number, at: number): boolean {
    const breaks = this.isBad(index);
    const place = this.#baseSize++;
    if (breaks) return true;
    this.#mergedAt[index] = at;
    this.#place[index] = place;
    return false;
  }

  /** Whether it would break the current base. */
  isBad(index: number): boolean {
    return this.#failsOn(index, this.#baseSize);
  }

  /** Whether this tree on a base of that size passes, apart from flakes. */
  passes(tree: readonly number[], baseSize: number): boolean {
    const number = ++this.#trees;
    for (const index of tree) this.#seenIn[index] = number;
    return tree.every((index) => {
      if (this.isInBase(index, baseSize)) return true;
      if (this.#failsOn(index, baseSize)) return false;
      const others = this.#roster.conflictsOf(index);
      return !others.some((other) => this.#seenIn[other] === number && this.#areConcurrent(index, other));
    });
  }

  /** Whether a run that ends at that minute fails without cause: during an outage, or at random by its number and the seed. */
  flakes(run: number, at: number): boolean {
    const { outages = [] } = this.#roster.workload;
    if (outages.some(({ from, to }) => from <= at && at < to)) return true;
    return draw(this.#seed * 104_729 + 3, run, 1) < this.#flakeRate;
  }

  durationFactor(run: number): number {
    if (this.#durationNoise === 0) return 1;
    const seed = this.#seed * 104_729 + 3;
    const length = Math.sqrt(-2 * Math.log(draw(seed, run, 2) + 1e-12));
    return Math.exp(this.#durationNoise * length * Math.cos(2 * Math.PI * draw(seed, run, 3)));
  }

  #failsOn(index: number, baseSize: number): boolean {
    if (this.#roster.fails[index]) return true;
    const others = this.#roster.conflictsOf(index);
    return others.some((other) => this.isInBase(other, baseSize) && this.#areConcurrent(index, other));
  }

  /**
   * Two pull requests are concurrent unless one merged so long before the submission of the other that the other was based on it.
   */
  #areConcurrent(a: number, b: number): boolean {
    return !this.#precedes(a, b) && !this.#precedes(b, a);
  }

  #precedes(a: number, b: number): boolean {
    return (this.#mergedAt[a] ?? 0) <= (this.#submittedAt[b] ?? 0) - staleMinutes;
  }
}
