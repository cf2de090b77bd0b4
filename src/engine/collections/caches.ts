/** Returns a function that computes the result for each object once. The result is kept for as long as the object exists. */
export function memoizeByState<Key extends object, Result>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    const known = results.get(key);
    if (known) return known.result;
    const result = compute(key);
    results.set(key, { result });
    return result;
  };
}

/** The number of cached answers: several times the number of pairs of a line entry and a waiting entry that are compared. */
const places = 2 ** 16;

interface Memory {
  readonly smaller: Float64Array;
  readonly greater: Float64Array;
  readonly answers: Uint8Array;
}

let memory: Memory | null = null;

/**
 * Returns the answer to a symmetric question about two objects, given by their ids. The answer comes from a cache if the question
 * was asked recently. The objects must be immutable and their ids must never be reused: then a cached answer always equals a
 * computed one, and deciding stays pure. The table has a fixed size and keeps no object alive.
 */
export function cachedPairAnswer(a: number, b: number, workOut: () => boolean): boolean {
  memory ??= {
    smaller: new Float64Array(places),
    greater: new Float64Array(places),
    answers: new Uint8Array(places),
  };
  const [smaller, greater] = a < b ? [a, b] : [b, a];
  const place = (Math.imul(smaller, 0x9e3779b1) ^ Math.imul(greater, 0x85ebca77)) >>> 16;
  if (memory.smaller[place] !== smaller || memory.greater[place] !== greater) {
    memory.answers[place] = workOut() ? 1 : 0;
    memory.smaller[place] = smaller;
    memory.greater[place] = greater;
  }
  return memory.answers[place] === 1;
}
