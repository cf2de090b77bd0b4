import type { TestHistory } from "./history.ts";
import type { DetectionSettings } from "./settings.ts";
import type { RunSource } from "./source.ts";

/**
 * Bounds how many tests the flips of one pull request count against: what makes many tests fail now and then is its own change, and
 * would use up the budget of all.
 */
export class PullRequestShare {
  readonly #histories: ReadonlyMap<number, TestHistory>;
  readonly #settings: DetectionSettings;
  /** The tests with flips of a pull request, by its name. */
  readonly #tests = new Map<string, Set<number>>();

  constructor(histories: ReadonlyMap<number, TestHistory>, settings: DetectionSettings) {
    this.#histories = histories;
    this.#settings = settings;
  }

  /** Whether a flip of the test counts. */
  take({ kind, name }: RunSource, sk: number, at: number): boolean {
    if (kind !== "pr") return true;
    const tests = this.#tests.get(name) ?? this.#recall(name, at);
    this.#tests.set(name, tests);
    if (!tests.has(sk) && tests.size >= this.#settings.independent.mostTests) return false;
    tests.add(sk);
    return true;
  }

  #recall(name: string, at: number): Set<number> {
    const tests = new Set<number>();
    for (const [sk, { lines }] of this.#histories)
      for (const { episodes } of Object.values(lines))
        for (const episode of episodes)
          if (
            at - episode.at < this.#settings.flips.window &&
            episode.sources.some((one) => one.name === name)
          )
            tests.add(sk);
    return tests;
  }
}
