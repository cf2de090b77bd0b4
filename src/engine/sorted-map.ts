import sortedBTree from "sorted-btree";

type Tree<K, V> = InstanceType<typeof sortedBTree.default<K, V>>;

/**
 * An immutable map ordered by key. `with` and `without` cost O(log n) and share structure with the
 * original (B+ tree, copy on write), so that a queue of 10,000 entries evolves without being copied.
 */
export class SortedMap<K, V> {
  readonly #tree: Tree<K, V>;

  private constructor(tree: Tree<K, V>) {
    this.#tree = tree;
  }

  static empty<K, V>(compare: (a: K, b: K) => number): SortedMap<K, V> {
    return new SortedMap(new sortedBTree.default<K, V>(undefined, compare));
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: K): V | undefined {
    return this.#tree.get(key);
  }

  has(key: K): boolean {
    return this.#tree.has(key);
  }

  with(key: K, value: V): SortedMap<K, V> {
    const tree = this.#tree.clone();
    tree.set(key, value);
    return new SortedMap(tree);
  }

  without(key: K): SortedMap<K, V> {
    if (!this.#tree.has(key)) return this;
    const tree = this.#tree.clone();
    tree.delete(key);
    return new SortedMap(tree);
  }

  /** The value with the smallest key. */
  first(): V | undefined {
    const key = this.#tree.minKey();
    return key === undefined ? undefined : this.#tree.get(key);
  }

  /** The values in the order of their keys. */
  values(): IterableIterator<V> {
    return this.#tree.values();
  }
}

export function compareNumbers(a: number, b: number): number {
  return a - b;
}

/** Compares tuples of numbers of equal length, leftmost first. */
export function compareTuples(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
