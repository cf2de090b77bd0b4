import type { Targets } from "../../model/targets.ts";

/**
 * Finds the pull requests that impact a common target without comparing every pair. It is a cache: before each query, `know` brings it
 * up to date. The results therefore depend only on the arguments, even if several states share it.
 */
export class ImpactIndex {
  readonly #indexed = new Map<number, Targets>();
  readonly #postings = new Postings();

  /** Makes the index contain exactly these pull requests. O(pull requests + targets of those that are new or gone). */
  know(prs: Iterable<number>, targetsOf: (pr: number) => Targets): void {
    const known = new Set<number>();
    for (const pr of prs) {
      known.add(pr);
      const targets = targetsOf(pr);
      const indexed = this.#indexed.get(pr);
      if (indexed === targets) continue;
      if (indexed !== undefined) this.#forget(pr, indexed);
      this.add(pr, targets);
    }
    if (known.size === this.#indexed.size) return;
    for (const [pr, targets] of this.#indexed) if (!known.has(pr)) this.#forget(pr, targets);
  }

  add(pr: number, targets: Targets): void {
    if (this.#indexed.has(pr)) return;
    this.#indexed.set(pr, targets);
    if (targets !== "ALL") for (const target of targets) this.#postings.add(target, pr);
  }

  /** Returns the indexed pull requests that impact one of these targets, in ascending order, by the same rule as `overlap`. */
  overlapping(targets: Targets): number[] {
    if (targets !== "ALL" && targets.size === 0) return [];
    const found = new Set<number>();
    for (const [pr, other] of this.#indexed) {
      if (other === "ALL" || (targets === "ALL" && other.size > 0)) found.add(pr);
    }
    if (targets !== "ALL") for (const target of targets) this.#postings.collect(target, found);
    return [...found].sort((a, b) => a - b);
  }

  #forget(pr: number, targets: Targets): void {
    this.#indexed.delete(pr);
    if (targets !== "ALL") for (const target of targets) this.#postings.remove(target, pr);
  }
}

const none = -1;

/** The numbers of a pair: target, pull request, next pair of the chain, and one unused. A cache line holds four pairs. */
const width = 4;
const prOf = 1;
const nextOf = 2;

/** Maps targets to the pull requests that impact them. Hash chains in flat arrays, because a million pairs as objects would take 100 MB. */
export class Postings {
  #heads = new Int32Array(1024).fill(none);
  #pairs = new Int32Array(1024 * width);
  /** The first free place. Free places form a chain, too. */
  #free = none;
  #used = 0;

  add(target: number, pr: number): void {
    const place = this.#place();
    const pairs = this.#pairs;
    const head = this.#chain(target);
    pairs[place] = target;
    pairs[place + prOf] = pr;
    pairs[place + nextOf] = this.#heads[head] as number;
    this.#heads[head] = place;
  }

  remove(target: number, pr: number): void {
    const pairs = this.#pairs;
    const head = this.#chain(target);
    let before = none;
    for (let at = this.#heads[head] as number; at !== none; before = at, at = pairs[at + nextOf] as number) {
      if (pairs[at] !== (target | 0) || pairs[at + prOf] !== pr) continue;
      const next = pairs[at + nextOf] as number;
      if (before === none) this.#heads[head] = next;
      else pairs[before + nextOf] = next;
      pairs[at + nextOf] = this.#free;
      this.#free = at;
      return;
    }
  }

  /** Adds the pull requests that impact a target to `found`. */
  collect(target: number, found: Set<number>): void {
    const pairs = this.#pairs;
    for (
      let at = this.#heads[this.#chain(target)] as number;
      at !== none;
      at = pairs[at + nextOf] as number
    ) {
      if (pairs[at] === (target | 0)) found.add(pairs[at + prOf] as number);
    }
  }

  #chain(target: number): number {
    return (Math.imul(target, 0x9e3779b1) >>> 0) & (this.#heads.length - 1);
  }

  #place(): number {
    const free = this.#free;
    if (free !== none) {
      this.#free = this.#pairs[free + nextOf] as number;
      return free;
    }
    if (this.#used === this.#pairs.length) this.#grow();
    const place = this.#used;
    this.#used += width;
    return place;
  }

  #grow(): void {
    const pairs = new Int32Array(2 * this.#used);
    pairs.set(this.#pairs);
    this.#pairs = pairs;
    this.#heads = new Int32Array((2 * this.#used) / width).fill(none);
    for (let place = 0; place < this.#used; place += width) {
      const head = this.#chain(pairs[place] as number);
      pairs[place + nextOf] = this.#heads[head] as number;
      this.#heads[head] = place;
    }
  }
}
