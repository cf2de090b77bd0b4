/** Returns a number in [0, 1) on each call. */
export type RandomSource = () => number;

/** A seeded random source (mulberry32): the same seed gives the same numbers on any machine. */
export function createRandomSource(seed: number): RandomSource {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a number in [0, 1) that depends only on seed and key. The order of the calls does not change the results. */
export function draw(seed: number, a: number, b: number): number {
  let mixed = (seed ^ Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca77)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

/** Standard normal (Box-Muller). */
export function normal(random: RandomSource): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

/** Exponential, with mean 1. */
export function exponential(random: RandomSource): number {
  return -Math.log(random() + 1e-12);
}

/** Beta with this mean. A smaller concentration puts more of it near 0 and 1. */
export function beta(random: RandomSource, mean: number, concentration: number): number {
  const a = gamma(random, mean * concentration);
  return a / (a + gamma(random, (1 - mean) * concentration));
}

/** Gamma with scale 1. Source: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). */
function gamma(random: RandomSource, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (random() + 1e-300) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root ** 3;
    if (Math.log(random() + 1e-300) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
