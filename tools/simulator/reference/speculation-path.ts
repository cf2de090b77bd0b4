import { EventHeap } from "../../../src/replay/engine-run/event-heap.ts";

/** An undecided pull request that another one depends on. */
export interface OpenDependency {
  readonly index: number;
  /** The probability that it merges. */
  readonly success: number;
}

/** One possible outcome of the dependencies of a pull request. */
export interface SpeculationPath<T> {
  readonly subject: T;
  /** The open dependencies that merge on this path. */
  readonly merging: ReadonlySet<number>;
  readonly likelihood: number;
}

interface Flip {
  readonly index: number;
  readonly merges: boolean;
  /** The factor on the path's likelihood if this dependency has the less likely outcome. */
  readonly factor: number;
}

interface Partial<T> {
  readonly subject: T;
  /** The least certain ones first. */
  readonly flips: readonly Flip[];
  /** Positions in `flips` with the less likely outcome, ascending. */
  readonly taken: readonly number[];
  readonly likelihood: number;
}

/** Yields the paths of all subjects, likeliest first, without enumerating their 2^n possibilities. */
export class LikeliestPaths<T> {
  readonly #heap = new EventHeap<Partial<T>>();

  add(subject: T, dependencies: readonly OpenDependency[]): void {
    const flips = dependencies.map(({ index, success }): Flip => {
      const likelier = Math.max(success, 1 - success);
      return { index, merges: success >= 0.5, factor: (1 - likelier) / likelier };
    });
    const likelihood = dependencies.reduce((all, { success }) => all * Math.max(success, 1 - success), 1);
    this.#push({ subject, flips: flips.sort((a, b) => b.factor - a.factor), taken: [], likelihood });
  }

  next(): SpeculationPath<T> | null {
    const path = this.#heap.next()?.event;
    if (!path) return null;
    this.#branch(path);
    const { subject, flips, taken, likelihood } = path;
    const merging = flips.filter(({ merges }, place) => merges !== taken.includes(place));
    return { subject, likelihood, merging: new Set(merging.map(({ index }) => index)) };
  }

  /**
   * Adds the two next likeliest paths: one with an additional flip, and one with the last flip moved by one. Together they reach
   * every path once.
   */
  #branch({ subject, flips, taken, likelihood }: Partial<T>): void {
    const last = taken.at(-1) ?? -1;
    const following = flips[last + 1];
    if (!following) return;
    const more = likelihood * following.factor;
    this.#push({ subject, flips, taken: [...taken, last + 1], likelihood: more });
    if (last < 0) return;
    const moved = more / Math.max(1e-12, flips[last]?.factor ?? 1);
    this.#push({ subject, flips, taken: [...taken.slice(0, -1), last + 1], likelihood: moved });
  }

  #push(path: Partial<T>): void {
    this.#heap.schedule(-path.likelihood, path);
  }
}
