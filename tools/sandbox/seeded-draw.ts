import { createHash } from "node:crypto";

/**
 * Returns a uniform number in [0, 1) that depends only on the seed and the key. There is no generator state, so the order of
 * concurrent calls does not change the results.
 */
export function draw(seed: number, ...key: (string | number)[]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, ...key]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/**
 * Orders items by the seed, for lists whose order GitHub does not define. More items do not change the relative order of the
 * others.
 */
export function shuffle<T>(seed: number, items: readonly T[], keyOf: (item: T) => string | number): T[] {
  return items
    .map((item) => ({ item, place: draw(seed, "order", keyOf(item)) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Returns a uniform number in `[low, high]`; see {@link draw}. */
export function drawBetween(
  seed: number,
  [low, high]: readonly [number, number],
  ...key: (string | number)[]
): number {
  return low + draw(seed, ...key) * (high - low);
}
