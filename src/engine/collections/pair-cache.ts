/** Answers that are kept: several times as many as pairs are in question between the line and what waits for it. */
const places = 2 ** 16;

interface Memory {
  readonly smaller: Float64Array;
  readonly greater: Float64Array;
  readonly answers: Uint8Array;
}

let memory: Memory | null = null;

/**
 * The answer to a symmetric question about two things by their ids, out of memory if it was asked lately. The things must be
 * immutable and their ids never given twice: then nobody can tell an answer that is recalled from one that is worked out, and
 * deciding stays pure. The table is of fixed size and keeps nothing alive.
 */
export function recalled(a: number, b: number, workOut: () => boolean): boolean {
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
