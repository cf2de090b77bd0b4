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

/**
 * The items in an order that the seed decides: for what a list of GitHub's promises no order of. An item's place among the
 * others does not change when more come.
 */
export function shuffle<T>(seed: number, items: readonly T[], keyOf: (item: T) => string | number): T[] {
  return items
    .map((item) => ({ item, place: draw(seed, "order", keyOf(item)) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** A uniform number of `[low, high]`; see {@link draw}. */
export function drawBetween(
  seed: number,
  [low, high]: readonly [number, number],
  ...key: (string | number)[]
): number {
  return low + draw(seed, ...key) * (high - low);
}
