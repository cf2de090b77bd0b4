/** What a pull request impacts: numbers of targets in ascending order, without repetition. `ALL` impacts everything. */
export type Targets = "ALL" | readonly number[];

/** Whether two pull requests impact a common target. What impacts nothing overlaps nothing, not even `ALL`. */
export function overlap(a: Targets, b: Targets): boolean {
  if (a.length === 0 || b.length === 0) return false;
  if (a === "ALL" || b === "ALL") return true;
  return commonTargets(a, b, 1) > 0;
}

/** How many targets two lists have in common, counted up to a limit. */
export function commonTargets(a: readonly number[], b: readonly number[], limit: number): number {
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length && count < limit; ) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    if (difference === 0) count += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return count;
}

/**
 * Names as numbers: a 32-bit hash (FNV-1a), so that no table of names has to be kept. Names that share a number make
 * pull requests wait for each other that need not; never the reverse.
 */
export function targetsOf(names: "ALL" | readonly string[]): Targets {
  if (names === "ALL") return "ALL";
  const numbers = Uint32Array.from(names, hash).sort();
  return [...numbers.filter((number, index) => index === 0 || number !== numbers[index - 1])];
}

function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) value = Math.imul(value ^ name.charCodeAt(i), 0x01000193);
  // FNV leaves the last characters' traces in the low bits: mix them.
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
