import type { CiRun } from "./ci.ts";

/** Remembers which runs went red, and what excuses those who believed them. */
export class RedRuns {
  /** The red runs that contained each pull request since it was last submitted. */
  readonly #runs = new Map<number, CiRun[]>();
  readonly #flaked = new Set<CiRun>();
  /** Those whose merge broke the base. */
  readonly #breakers = new Set<number>();

  fail(run: CiRun, flaked: boolean): void {
    if (flaked) this.#flaked.add(run);
    for (const index of run.tree) {
      const known = this.#runs.get(index);
      if (known) known.push(run);
      else this.#runs.set(index, [run]);
    }
  }

  breakBase(index: number): void {
    this.#breakers.add(index);
  }

  /** It was submitted anew, or has ended: what was known of it is worth nothing. */
  forget(index: number): void {
    this.#runs.delete(index);
  }

  /**
   * Whether a good pull request may have been taken for a bad one: a run that contained it went red for nothing, or
   * contained what broke the base later, and was reverted.
   */
  excuse(index: number): boolean {
    const runs = this.#runs.get(index) ?? [];
    return runs.some((run) => this.#flaked.has(run) || run.tree.some((other) => this.#breakers.has(other)));
  }
}
