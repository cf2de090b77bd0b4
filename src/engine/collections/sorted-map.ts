interface Node<K, V> {
  readonly key: K;
  readonly value: V;
  /** The number of keys in this subtree. */
  readonly size: number;
  readonly left: Tree<K, V>;
  readonly right: Tree<K, V>;
}

type Tree<K, V> = Node<K, V> | null;
type Compare<K> = (a: K, b: K) => number;

/**
 * An immutable map ordered by key. `get`, `with`, `without` and `rank` cost O(log n). A changed map shares all but one
 * path with the original, so that a queue of 10,000 entries changes without being copied.
 *
 * A weight-balanced tree (Adams 1993) with the parameters that Hirai and Yamamoto (2011) proved sound.
 */
export class SortedMap<K, V> {
  readonly #root: Tree<K, V>;
  readonly #compare: Compare<K>;

  private constructor(root: Tree<K, V>, compare: Compare<K>) {
    this.#root = root;
    this.#compare = compare;
  }

  static empty<K, V>(compare: Compare<K>): SortedMap<K, V> {
    return new SortedMap<K, V>(null, compare);
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: K): V | undefined {
    return this.#find(key)?.value;
  }

  has(key: K): boolean {
    return this.#find(key) !== null;
  }

  /** The number of keys that are smaller. */
  rank(key: K): number {
    let smaller = 0;
    for (let node = this.#root; node !== null; ) {
      const order = this.#compare(key, node.key);
      if (order <= 0) node = node.left;
      else {
        smaller += sizeOf(node.left) + 1;
        node = node.right;
      }
    }
    return smaller;
  }

  with(key: K, value: V): SortedMap<K, V> {
    return new SortedMap(insert(this.#root, key, value, this.#compare), this.#compare);
  }

  without(key: K): SortedMap<K, V> {
    if (!this.has(key)) return this;
    return new SortedMap(remove(this.#root, key, this.#compare), this.#compare);
  }

  /** The value with the smallest key. */
  first(): V | undefined {
    let node = this.#root;
    while (node?.left) node = node.left;
    return node?.value;
  }

  lastKey(): K | undefined {
    let node = this.#root;
    while (node?.right) node = node.right;
    return node?.key;
  }

  *keys(): Generator<K> {
    for (const { key } of this.#nodes()) yield key;
  }

  /** The values in key order. With `behind`, only the values of greater keys. */
  *values(behind?: K): Generator<V> {
    for (const { value } of this.#nodes(behind)) yield value;
  }

  /** Visits the values in key order. Faster than `values`, for code that runs often. */
  forEach(visit: (value: V) => void): void {
    visitAll(this.#root, visit);
  }

  *#nodes(behind?: K): Generator<Node<K, V>> {
    const path: Node<K, V>[] = [];
    for (let node = this.#root; node !== null; ) {
      const comes = behind === undefined || this.#compare(node.key, behind) > 0;
      if (comes) path.push(node);
      node = comes ? node.left : node.right;
    }
    for (let next = path.pop(); next; next = path.pop()) {
      yield next;
      for (let node = next.right; node !== null; node = node.left) path.push(node);
    }
  }

  #find(key: K): Tree<K, V> {
    let node = this.#root;
    while (node !== null) {
      const order = this.#compare(key, node.key);
      if (order === 0) return node;
      node = order < 0 ? node.left : node.right;
    }
    return null;
  }
}

function visitAll<K, V>(tree: Tree<K, V>, visit: (value: V) => void): void {
  for (let node = tree; node !== null; node = node.right) {
    visitAll(node.left, visit);
    visit(node.value);
  }
}

function insert<K, V>(tree: Tree<K, V>, key: K, value: V, compare: Compare<K>): Node<K, V> {
  if (tree === null) return { key, value, size: 1, left: null, right: null };
  const order = compare(key, tree.key);
  if (order === 0) return { key, value, size: tree.size, left: tree.left, right: tree.right };
  if (order < 0) return balanced(tree, insert(tree.left, key, value, compare), tree.right);
  return balanced(tree, tree.left, insert(tree.right, key, value, compare));
}

function remove<K, V>(tree: Tree<K, V>, key: K, compare: Compare<K>): Tree<K, V> {
  if (tree === null) return null;
  const order = compare(key, tree.key);
  if (order < 0) return balanced(tree, remove(tree.left, key, compare), tree.right);
  if (order > 0) return balanced(tree, tree.left, remove(tree.right, key, compare));
  if (tree.left === null) return tree.right;
  if (tree.right === null) return tree.left;
  const next = smallest(tree.right);
  return balanced(next, tree.left, withoutSmallest(tree.right));
}

function smallest<K, V>(tree: Node<K, V>): Node<K, V> {
  return tree.left === null ? tree : smallest(tree.left);
}

function withoutSmallest<K, V>(tree: Node<K, V>): Tree<K, V> {
  return tree.left === null ? tree.right : balanced(tree, withoutSmallest(tree.left), tree.right);
}

/** Joins the key and value of a node with two trees, and rebalances them. One tree may be one key too heavy for the other. */
function balanced<K, V>(of: Node<K, V>, left: Tree<K, V>, right: Tree<K, V>): Node<K, V> {
  if (right !== null && isTooHeavy(right, left)) {
    if (right.left === null || weight(right.left) < 2 * weight(right.right)) {
      return node(right, node(of, left, right.left), right.right);
    }
    const middle = right.left;
    return node(middle, node(of, left, middle.left), node(right, middle.right, right.right));
  }
  if (left !== null && isTooHeavy(left, right)) {
    if (left.right === null || weight(left.right) < 2 * weight(left.left)) {
      return node(left, left.left, node(of, left.right, right));
    }
    const middle = left.right;
    return node(middle, node(left, left.left, middle.left), node(of, middle.right, right));
  }
  return node(of, left, right);
}

function node<K, V>({ key, value }: Node<K, V>, left: Tree<K, V>, right: Tree<K, V>): Node<K, V> {
  return { key, value, size: sizeOf(left) + sizeOf(right) + 1, left, right };
}

function isTooHeavy(tree: Tree<unknown, unknown>, other: Tree<unknown, unknown>): boolean {
  return weight(tree) > 3 * weight(other);
}

function weight(tree: Tree<unknown, unknown>): number {
  return sizeOf(tree) + 1;
}

function sizeOf(tree: Tree<unknown, unknown>): number {
  return tree === null ? 0 : tree.size;
}

export function compareNumbers(a: number, b: number): number {
  return a - b;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares tuples of numbers of equal length, leftmost first. */
export function compareTuples(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
