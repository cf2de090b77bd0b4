interface Weight<Item> {
  /** The maximum weight of a batch. */
  readonly most: number;
  readonly of: (item: Item) => number;
}

/** Splits items into batches of at most `count` items. No batch is heavier than `weight.most`, unless a single item is. */
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
