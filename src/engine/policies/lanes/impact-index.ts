import type { Targets } from "../../model/targets.ts";
import { Postings } from "./postings.ts";

/**
 * Finds who impacts a common target without comparing each with each. A memo: before each question it is told who there is,
 * and catches up; so its answers depend on nothing but what it is asked, also where states fork.
 */
export class ImpactIndex {
  readonly #indexed = new Map<number, Targets>();
  readonly #postings = new Postings();

  /** Knows exactly these from now on. O(pull requests, and targets of those that are new or gone). */
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

  /** Those known that impact a common target, in ascending order. As `overlap` says of each. */
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
