import type { Targets } from "../../model/targets.ts";
import { Postings } from "./postings.ts";

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
