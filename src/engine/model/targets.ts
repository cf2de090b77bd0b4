import { DistinctNumbers } from "../collections/distinct-numbers.ts";
import { recalled } from "../collections/pair-cache.ts";
import { sortNumbers } from "../collections/sort-numbers.ts";
import { TargetSet } from "../collections/target-set.ts";

/** The number of names of targets that are stored for a head, and told in one answer. */
export const mostNamedTargets = 1_000;

/** What a pull request impacts. `ALL` impacts everything. */
export type Targets = "ALL" | TargetSet;

/** Whether two pull requests impact a common target. What impacts nothing overlaps nothing, not even `ALL`. */
export function overlap(a: Targets, b: Targets): boolean {
  if (a === "ALL") return b === "ALL" || b.size > 0;
  if (b === "ALL") return a.size > 0;
  return recalled(a.id, b.id, () => a.countCommon(b, 1) > 0);
}

export function sameTargets(a: Targets, b: Targets): boolean {
  return a === b || (a !== "ALL" && b !== "ALL" && a.equals(b));
}

export function unionOf(a: Targets, b: Targets): Targets {
  return a === "ALL" || b === "ALL" ? "ALL" : a.union(b);
}

/** How many targets two pull requests have in common, counted up to a limit; null when one impacts everything. */
export function commonTargets(a: Targets, b: Targets, limit: number): number | null {
  return a === "ALL" || b === "ALL" ? null : a.countCommon(b, limit);
}

/** What names stand for, and how many different ones they are: some may share a number. */
export class CountedTargets {
  readonly targets: TargetSet;
  readonly count: number;

  private constructor(targets: TargetSet, count: number) {
    this.targets = targets;
    this.count = count;
  }

  static of(names: readonly string[]): CountedTargets {
    const numbers = new Uint32Array(names.length);
    for (let i = 0; i < names.length; i++) numbers[i] = numberOf(names[i] ?? "");
    return CountedTargets.ofNumbers(numbers, (index) => secondNumberOf(names[index] ?? ""));
  }

  /**
   * Of the number of each name. Of names that share theirs, another number tells which are the same: to compare the names
   * themselves takes seconds when somebody repeats one five million times. `secondNumberOf` is called with ascending
   * indices.
   */
  static ofNumbers(numbers: Uint32Array, secondNumberOf: (index: number) => number): CountedTargets {
    const sorted = sortNumbers(numbers);
    const targets = TargetSet.ofSorted(sorted);
    if (targets.size === numbers.length) return new CountedTargets(targets, targets.size);
    const shared = repeated(sorted);
    const pairs = new DistinctNumbers();
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] as number;
      if (shared.has(number)) pairs.add(number * pairBase + (secondNumberOf(i) % pairBase));
    }
    return new CountedTargets(targets, targets.size - shared.size + pairs.count);
  }

  /** As another thread has counted them: numbers in ascending order, and none of them twice. */
  static ofDistinct(numbers: Uint32Array, count: number): CountedTargets {
    return new CountedTargets(TargetSet.ofDistinct(numbers), count);
  }
}

/** What is left of a number of 53 bits beside one of 32. */
const pairBase = 2 ** 21;

/** Those that come more than once. */
function repeated(sorted: Uint32Array): TargetSet {
  const isSecond = (number: number, i: number) => number === sorted[i - 1] && number !== sorted[i - 2];
  let size = 0;
  for (let i = 1; i < sorted.length; i++) if (isSecond(sorted[i] as number, i)) size += 1;
  const numbers = new Uint32Array(size);
  size = 0;
  for (let i = 1; i < sorted.length; i++) {
    const number = sorted[i] as number;
    if (isSecond(number, i)) numbers[size++] = number;
  }
  return TargetSet.ofDistinct(numbers);
}

export function targetsOf(names: "ALL" | readonly string[]): Targets {
  return names === "ALL" ? "ALL" : CountedTargets.of(names).targets;
}

/** Reads targets as JSON has them: `ALL`, a `TargetSet` as text, or a list of numbers, as they were written at first. */
export function parseTargets(json: string | readonly number[]): Targets {
  if (json === "ALL") return json;
  return typeof json === "string" ? TargetSet.parse(json) : TargetSet.of(json);
}

/** The hash of an empty name, and what it is multiplied with at each unit of another (FNV-1a, 32 bits). */
export const fnv = { basis: 0x811c9dc5 | 0, prime: 0x01000193 } as const;

/** For another hash of a name, which is made in the same way of other numbers. */
export const secondHash = { basis: 0x2545f491, prime: 0x9e3779b1 | 0 } as const;

/**
 * Names as numbers: a 32-bit hash of their UTF-16 units, so that no table of names has to be kept. Names that share a number
 * make pull requests wait for each other that need not; never the reverse.
 */
export function numberOf(name: string): number {
  let hash: number = fnv.basis;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), fnv.prime);
  return mixed(hash);
}

/** Has nothing to do with the first number of a name, so that only the same names share both. */
export function secondNumberOf(name: string): number {
  let hash: number = secondHash.basis;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), secondHash.prime);
  return mixed(hash);
}

/** FNV leaves the last characters' traces in the low bits. */
export function mixed(hash: number): number {
  const value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
