import type { CiRun } from "./ci.ts";

/** Records red runs, and decides whether a red run excuses a wrong rejection. */
export class RedRuns {
  /** For each pull request, the red runs that contained it since its last submission. */
  readonly #runs = new Map<number, CiRun[]>();
  readonly #flaked = new Set<CiRun>();
  /** Pull requests whose merge broke the base. */
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

  /** Forgets a pull request that was submitted again or has ended: earlier runs no longer apply. */
  forget(index: number): void {
    this.#runs.delete(index);
  }

  /**
   * Whether a known cause explains the rejection of a good pull request: a run that contained it flaked, or contained a pull
   * request that later broke the base and was reverted.
   */
  excuse(index: number): boolean {
    const runs = this.#runs.get(index) ?? [];
    return runs.some((run) => this.#flaked.has(run) || run.tree.some((other) => this.#breakers.has(other)));
  }
}
