import { recalled } from "./recall.ts";
import { TargetSet } from "./target-set.ts";

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

/** How many targets two pull requests have in common, counted up to a limit; null when one impacts everything. */
export function commonTargets(a: Targets, b: Targets, limit: number): number | null {
  return a === "ALL" || b === "ALL" ? null : a.countCommon(b, limit);
}

/**
 * Names as numbers: a 32-bit hash (FNV-1a), so that no table of names has to be kept. Names that share a number make
 * pull requests wait for each other that need not; never the reverse.
 */
export function targetsOf(names: "ALL" | readonly string[]): Targets {
  return names === "ALL" ? "ALL" : TargetSet.of(names.map(hash));
}

/** Reads targets as JSON has them: `ALL`, a `TargetSet` as text, or a list of numbers, as they were written at first. */
export function parseTargets(json: string | readonly number[]): Targets {
  if (json === "ALL") return json;
  return typeof json === "string" ? TargetSet.parse(json) : TargetSet.of(json);
}

function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) value = Math.imul(value ^ name.charCodeAt(i), 0x01000193);
  // FNV leaves the last characters' traces in the low bits: mix them.
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
