import { cachedPairAnswer } from "../collections/caches.ts";
import { DistinctNumbers, sortNumbers, TargetSet } from "../collections/target-set.ts";

/** The maximum number of target names that are stored for a head, and returned in one response. */
export const mostNamedTargets = 1_000;

/** The targets that a pull request impacts. `ALL` = it impacts everything. */
export type Targets = "ALL" | TargetSet;

/** Whether two pull requests impact a common target. An empty set overlaps nothing, not even `ALL`. */
export function overlap(a: Targets, b: Targets): boolean {
  if (a === "ALL") return b === "ALL" || b.size > 0;
  if (b === "ALL") return a.size > 0;
  return cachedPairAnswer(a.id, b.id, () => a.countCommon(b, 1) > 0);
}

export function sameTargets(a: Targets, b: Targets): boolean {
  return a === b || (a !== "ALL" && b !== "ALL" && a.equals(b));
}

export function unionOf(a: Targets, b: Targets): Targets {
  return a === "ALL" || b === "ALL" ? "ALL" : a.union(b);
}

/** The number of targets that two pull requests have in common, counted up to `limit`; null if one of them is `ALL`. */
export function commonTargets(a: Targets, b: Targets, limit: number): number | null {
  return a === "ALL" || b === "ALL" ? null : a.countCommon(b, limit);
}

/** The numbers of target names, and the count of distinct names. The count can be greater, because names may share a number. */
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
   * Counts names by their numbers. If names share a number, a second number tells which of them are equal. Comparing the names
   * themselves would take seconds if a client repeats one name five million times. `secondNumberOf` is called with ascending
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

  /** Wraps the result of another thread. @param numbers in ascending order, without duplicates. */
  static ofDistinct(numbers: Uint32Array, count: number): CountedTargets {
    return new CountedTargets(TargetSet.ofDistinct(numbers), count);
  }
}

/** The 21 bits that remain of a 53-bit integer next to a 32-bit number. */
const pairBase = 2 ** 21;

/** The numbers that occur more than once. */
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

/** Reads targets from JSON: `ALL`, a `TargetSet` as text, or a list of numbers, which is the oldest format. */
export function parseTargets(json: string | readonly number[]): Targets {
  if (json === "ALL") return json;
  return typeof json === "string" ? TargetSet.parse(json) : TargetSet.of(json);
}

/** The hash of an empty name, and the factor that is applied for each UTF-16 unit (FNV-1a, 32 bits). */
export const fnv = { basis: 0x811c9dc5 | 0, prime: 0x01000193 } as const;

/** The constants of a second hash, which is computed in the same way. */
export const secondHash = { basis: 0x2545f491, prime: 0x9e3779b1 | 0 } as const;

/**
 * A name as a number: a 32-bit hash of its UTF-16 units, so that no table of names is needed. If different names share a number,
 * pull requests may wait for each other without need. The opposite error cannot happen.
 */
export function numberOf(name: string): number {
  let hash: number = fnv.basis;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), fnv.prime);
  return mixed(hash);
}

/** A second hash of a name, independent of the first one, so that only equal names share both. */
export function secondNumberOf(name: string): number {
  let hash: number = secondHash.basis;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), secondHash.prime);
  return mixed(hash);
}

/** Mixes the bits, because FNV leaves the influence of the last characters in the low bits only. */
export function mixed(hash: number): number {
  const value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** The source of a pull request's impacted targets: a client with a token of the organisation, or a fork's workflow run, which has none. */
export type TargetSource = "organisation" | "fork";

/** The accepted targets of one head, and the most trusted source that has uploaded targets for it. */
export interface TargetClaim {
  readonly source: TargetSource;
  readonly targets: Targets;
}

/** The maximum number of targets that fit into one request. A larger union counts as `ALL`. */
const maxTargets = 7_000_000;

/**
 * Whether a source may only add to the targets that another source uploaded for the same head. Otherwise it replaces them: they are its
 * own, or it is trusted more. Too few targets would let a pull request be tested with too few others; too many are always safe.
 */
export function mayOnlyAdd(source: TargetSource, to: TargetSource): boolean {
  return source === "fork" && to === "organisation";
}

/** The claim after a less trusted source has added targets. */
export function addToClaim({ source, targets }: TargetClaim, added: Targets): TargetClaim {
  const both = unionOf(targets, added);
  return { source, targets: both !== "ALL" && both.size > maxTargets ? "ALL" : both };
}
