/** The list sizes in queries. There are few, so that few statements are compiled and kept. */
const sizes = [8, 64, 512] as const;

/**
 * Splits items into lists of few different sizes. The last list is padded with its own last item, which does
 * not change the result of an `in`.
 */
export function* inChunks<Item>(
  items: readonly Item[],
  largest: (typeof sizes)[number] = 512,
): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += largest) {
    const chunk = items.slice(at, at + largest);
    const size = sizes.find((one) => one >= chunk.length) ?? largest;
    const last = chunk.at(-1) as Item;
    while (chunk.length < size) chunk.push(last);
    yield chunk;
  }
}
