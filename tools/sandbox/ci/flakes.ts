import type { Repository } from "../world/repository.ts";
import { type FactFile, flakyRuns, type Verdict } from "./facts.ts";

/**
 * Flakes that are planned in advance. A fact file with `"flaky": 2` makes two test runs fail on test branches whose tree contains
 * it, although the tree is good. Later runs pass.
 */
export class Flakes {
  readonly #failed = new WeakMap<Repository, Map<string, number>>();

  /**
   * Returns the check that fails in this run although its tree is good, and counts the failure. Null when the truth has a
   * failure, or when no flake is due.
   */
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
