import type { TestHistory } from "./history.ts";
import type { DetectionSettings } from "./settings.ts";
import type { RunSource } from "./source.ts";

/**
 * Limits the number of tests that the flips of one pull request count against. If many tests fail now and then in one pull request,
 * its own change is the cause, and these tests would use up the whole quarantine budget.
 */
export class PullRequestShare {
  readonly #histories: ReadonlyMap<number, TestHistory>;
  readonly #settings: DetectionSettings;
  /** The tests with flips in a pull request, by the pull request's name. */
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
