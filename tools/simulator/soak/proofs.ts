import type { Targets } from "../../../src/engine/model/targets.ts";
import { type Content, numberOf } from "./code-host.ts";
import { impactTheSame } from "./impact.ts";

interface Green {
  /** Everything that was tested, the base's content first. */
  readonly content: Content;
  readonly ahead: readonly number[];
  /** What it decided about, whether or not successors count. */
  readonly members: readonly number[];
}

/** Remembers what CI has really found good, and judges whether that allows a merge. */
export class Proofs {
  readonly #greens = new Map<string, Green>();
  /** What each pull request impacts, as the queue last knew it. */
  readonly #targets = new Map<number, Targets>();
  readonly #fromOutside = new Set<string>();

  pass(runId: string, green: Green): void {
    this.#greens.set(runId, green);
  }

  target(pr: number, targets: Targets | null): void {
    this.#targets.set(pr, targets ?? "ALL");
  }

  /** Somebody else merged it. */
  mergeByHand(item: string): void {
    this.#fromOutside.add(item);
  }

  /** Whether that run passed, and its commit contains the pull request ahead of what it decides about. */
  isVouched(runId: string | null, pr: number): boolean {
    return this.#greens.get(runId ?? "")?.ahead.includes(pr) ?? false;
  }

  /**
   * Whether a green run contains the item on exactly that of the base on which it depends.
   * @param own only runs that decide about it count, because successors do not.
   */
  allows(base: Content, item: string, mode: "single" | "parallel", own: boolean): boolean {
    const relevant = (other: string) => mode === "single" || this.#depends(other, item);
    const wanted = base.filter(relevant).toSorted().join();
    return [...this.#greens.values()].some(({ content, members }) => {
      const place = content.indexOf(item);
      if (place < 0 || (own && !members.includes(numberOf(item)))) return false;
      return content.slice(0, place).filter(relevant).toSorted().join() === wanted;
    });
  }

  /** What came from outside impacts everything. */
  #depends(other: string, item: string): boolean {
    if (this.#fromOutside.has(other) || numberOf(other) < 0) return true;
    return impactTheSame(this.#targets.get(numberOf(other)), this.#targets.get(numberOf(item)));
  }
}
