/** Bits for each target in the sieve: of what is not in the set, one in sixty-four passes it. */
const bitsPerTarget = 64;

/** Ever growing, so that no two sets share one. */
let lastId = 0;

/** An immutable set of target numbers (unsigned, 32 bits). Four bytes each, in memory and where it is stored. */
export class TargetSet {
  readonly #id = ++lastId;
  readonly #numbers: Uint32Array;
  /** Bits by the last digits of the numbers; made when somebody first asks what it shares. */
  #sieve: Int32Array | null = null;

  private constructor(numbers: Uint32Array) {
    this.#numbers = numbers;
  }

  /** In any order, repeated or not. */
  static of(numbers: Iterable<number>): TargetSet {
    const sorted = Uint32Array.from(numbers).sort();
    return new TargetSet(sorted.filter((number, index) => index === 0 || number !== sorted[index - 1]));
  }

  /** Reads what `toJSON` wrote. */
  static parse(base64: string): TargetSet {
    const bytes = Buffer.from(base64, "base64");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const numbers = new Uint32Array(bytes.length / 4);
    for (let i = 0; i < numbers.length; i++) numbers[i] = view.getUint32(4 * i, true);
    return new TargetSet(numbers);
  }

  /** The numbers in ascending order, little-endian, in base64. */
  toJSON(): string {
    const view = new DataView(new ArrayBuffer(4 * this.size));
    for (let i = 0; i < this.size; i++) view.setUint32(4 * i, this.#numbers[i] ?? 0, true);
    return Buffer.from(view.buffer).toString("base64");
  }

  /** Tells sets apart within this process. */
  get id(): number {
    return this.#id;
  }

  get size(): number {
    return this.#numbers.length;
  }

  [Symbol.iterator](): IterableIterator<number> {
    return this.#numbers.values();
  }

  equals(other: TargetSet): boolean {
    return (
      this.size === other.size && this.#numbers.every((number, index) => number === other.#numbers[index])
    );
  }

  /** How many targets both have, counted up to a limit. O(targets of the smaller one). */
  countCommon(other: TargetSet, limit: number): number {
    if (other.size < this.size) return other.countCommon(this, limit);
    other.#sieve ??= sieveOf(other.#numbers);
    const sieve = other.#sieve;
    const last = sieve.length - 1;
    const numbers = this.#numbers;
    let count = 0;
    for (let i = 0; i < numbers.length && count < limit; i++) {
      const number = numbers[i] ?? 0;
      const isSieved = ((sieve[(number >>> 5) & last] ?? 0) & (1 << number)) === 0;
      if (!isSieved && includes(other.#numbers, number)) count += 1;
    }
    return count;
  }
}

function sieveOf(numbers: Uint32Array): Int32Array {
  const words = 2 ** Math.ceil(Math.log2(Math.max(1, (numbers.length * bitsPerTarget) / 32)));
  const sieve = new Int32Array(words);
  for (const number of numbers) {
    const word = (number >>> 5) & (words - 1);
    sieve[word] = (sieve[word] ?? 0) | (1 << number);
  }
  return sieve;
}

function includes(sorted: Uint32Array, number: number): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < number) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === number;
}
