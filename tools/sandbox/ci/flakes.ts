import type { Repository } from "../world/repository.ts";
import { type FactFile, flakyRuns, type Verdict } from "./facts.ts";

/**
 * Flakes that are told in advance: a fact file that says `"flaky": 2` makes two runs fail of the tests on test branches whose
 * tree it is in, though there is nothing wrong with the tree. Then it passes.
 */
export class Flakes {
  readonly #failed = new WeakMap<Repository, Map<string, number>>();

  /** The check that fails in this run though its tree is good, and counts it; null when all is well, or nothing is. */
  strike(
    repository: Repository,
    files: readonly FactFile[],
    truth: ReadonlyMap<string, Verdict>,
  ): { check: string; reason: string } | null {
    const check = [...truth.keys()].find((name) => name !== "build");
    if (check === undefined || [...truth.values()].some(({ conclusion }) => conclusion === "failure"))
      return null;
    const failed = this.#failed.get(repository) ?? new Map<string, number>();
    this.#failed.set(repository, failed);
    for (const file of files) {
      const before = failed.get(file.path) ?? 0;
      if (before >= flakyRuns(file)) continue;
      failed.set(file.path, before + 1);
      return { check, reason: `${file.path} is flaky: the tree is good` };
    }
    return null;
  }
}
