/** How much a batch may hold in all. */
interface Weight<Item> {
  readonly most: number;
  readonly of: (item: Item) => number;
}

/** The items in batches of at most `count`, of which none weighs more than it may, unless one item alone does. */
export function* inBatches<Item>(
  items: Iterable<Item>,
  count: number,
  weight: Weight<Item> = { most: Number.POSITIVE_INFINITY, of: () => 0 },
): Generator<readonly Item[]> {
  let batch: Item[] = [];
  let held = 0;
  for (const item of items) {
    const more = weight.of(item);
    if (batch.length === count || (batch.length > 0 && held + more > weight.most)) {
      yield batch;
      batch = [];
      held = 0;
    }
    batch.push(item);
    held += more;
  }
  if (batch.length > 0) yield batch;
}
