import { createHash } from "node:crypto";

/**
 * A uniform number in [0, 1) that the seed and the key decide alone. There is no generator state: the order
 * in which concurrent work asks must not change what it gets.
 */
export function draw(seed: number, ...key: (string | number)[]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, ...key]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** A uniform number of `[low, high]`; see {@link draw}. */
export function drawBetween(
  seed: number,
  [low, high]: readonly [number, number],
  ...key: (string | number)[]
): number {
  return low + draw(seed, ...key) * (high - low);
}
