import type { Roster } from "../workload/roster.ts";
import type { CiRun } from "./ci.ts";

/** Records which runs passed, and judges whether they allow a merge. */
export class Proofs {
  readonly #roster: Roster;
  /** For each unmerged pull request, the green runs that proved it good on their trees. */
  readonly #greens = new Map<number, CiRun[]>();
  /** Merged pull requests, in order. */
  readonly #merged: number[] = [];
  /** The position of each pull request in the base, from 0; -1 = not merged. */
  readonly #placeInBase: Int32Array;
  /** The position of each pull request in the most recently examined tree, from 1; 0 = not in it. */
  readonly #placeIn: Int32Array;
  #looksAt: CiRun | null = null;

  constructor(roster: Roster) {
    this.#roster = roster;
    this.#placeInBase = new Int32Array(roster.size).fill(-1);
    this.#placeIn = new Int32Array(roster.size);
  }

  isMerged(index: number): boolean {
    return (this.#placeInBase[index] ?? -1) >= 0;
  }

  get mergedInOrder(): readonly number[] {
    return this.#merged;
  }

  pass(run: CiRun, validated: readonly number[]): void {
    for (const index of validated) {
      const greens = this.#greens.get(index);
      if (greens) greens.push(run);
      else if (!this.isMerged(index)) this.#greens.set(index, [run]);
    }
  }

  merge(index: number): void {
    this.#placeInBase[index] = this.#merged.length;
    this.#merged.push(index);
    this.#greens.delete(index);
  }

  /**
   * Whether a green run allows the merge of a pull request. The run must contain it, and must have tested it on what it merges
   * onto now. Only pull requests that depend on each other count: all those ahead of it in the run's tree must have merged, and
   * all those merged since the run's base must be in the tree.
   */
  allow(index: number, mode: "single" | "parallel"): boolean {
    const greens = this.#greens.get(index)?.toReversed() ?? [];
    return greens.some((run) =>
      mode === "single" ? this.#holdsForAll(run, index) : this.#holds(run, index),
    );
  }

  /** In single mode every pull request depends on every other. */
  #holdsForAll(run: CiRun, index: number): boolean {
    this.#lookAt(run);
    const place = this.#placeIn[index] ?? 0;
    return (
      run.tree.slice(0, place - 1).every((ahead) => this.isMerged(ahead)) &&
      this.#merged.slice(run.baseSize).every((since) => this.#placeIn[since] !== 0)
    );
  }

  /** In parallel mode pull requests that share a target depend on each other. */
  #holds(run: CiRun, index: number): boolean {
    this.#lookAt(run);
    const place = this.#placeIn[index] ?? 0;
    return this.#roster.neighbourhood.of(index).every((neighbour) => {
      const other = this.#placeIn[neighbour] ?? 0;
      if (this.isMerged(neighbour)) return other !== 0 || (this.#placeInBase[neighbour] ?? 0) < run.baseSize;
      return other === 0 || other > place;
    });
  }

  #lookAt(run: CiRun): void {
    if (this.#looksAt === run) return;
    for (const index of this.#looksAt?.tree ?? []) this.#placeIn[index] = 0;
    for (const [place, index] of run.tree.entries()) this.#placeIn[index] = place + 1;
    this.#looksAt = run;
  }
}

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
