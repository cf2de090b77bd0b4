/** The number of bits per target in the sieve. At most one in sixty-four numbers that are not in the set passes it. */
const bitsPerTarget = 64;

/** The id of the newest set. It only increases, so that no two sets share an id. */
let lastId = 0;

/** An immutable set of target numbers (unsigned, 32 bits). Each number takes four bytes; JSON holds these as base64. */
export class TargetSet {
  readonly #id = ++lastId;
  readonly #numbers: Uint32Array;
  /** Has a bit set for the low bits of each number. Built when it is first needed. */
  #sieve: Int32Array | null = null;

  private constructor(numbers: Uint32Array) {
    this.#numbers = numbers;
  }

  /** @param numbers in any order; duplicates are allowed. */
  static of(numbers: Iterable<number>): TargetSet {
    return TargetSet.ofSorted(sortNumbers(Uint32Array.from(numbers)));
  }

  /** @param sorted in ascending order; duplicates are allowed. The caller must not write to them afterwards. */
  static ofSorted(sorted: Uint32Array): TargetSet {
    let size = 0;
    for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) size += 1;
    if (size === sorted.length) return new TargetSet(sorted);
    const distinct = new Uint32Array(size);
    size = 0;
    for (let i = 0; i < sorted.length; i++) {
      const number = sorted[i] as number;
      if (i === 0 || number !== sorted[i - 1]) distinct[size++] = number;
    }
    return new TargetSet(distinct);
  }

  /** @param numbers in ascending order, without duplicates. The caller must not write to them afterwards. */
  static ofDistinct(numbers: Uint32Array): TargetSet {
    return new TargetSet(numbers);
  }

  /** Parses the output of `toJSON`. */
  static parse(base64: string): TargetSet {
    const numbers = new Uint32Array(Math.floor(Buffer.byteLength(base64, "base64") / 4));
    const bytes = bytesOf(numbers);
    bytes.write(base64, "base64");
    if (!isLittleEndian) bytes.swap32();
    return new TargetSet(numbers);
  }

  /** A copy of the numbers in ascending order. */
  toNumbers(): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#numbers);
  }

  /** The numbers in ascending order, little-endian, in base64. */
  toJSON(): string {
    const bytes = bytesOf(this.#numbers);
    return (isLittleEndian ? bytes : Buffer.from(bytes).swap32()).toString("base64");
  }

  /** Unique among the sets of this process. */
  get id(): number {
    return this.#id;
  }

  get size(): number {
    return this.#numbers.length;
  }

  has(number: number): boolean {
    this.#sieve ??= sieveOf(this.#numbers);
    return passes(this.#sieve, number) && includes(this.#numbers, number);
  }

  [Symbol.iterator](): IterableIterator<number> {
    return this.#numbers.values();
  }

  equals(other: TargetSet): boolean {
    return (
      this.size === other.size && this.#numbers.every((number, index) => number === other.#numbers[index])
    );
  }

  union(other: TargetSet): TargetSet {
    const numbers = new Uint32Array(this.size + other.size);
    numbers.set(this.#numbers);
    numbers.set(other.#numbers, this.size);
    return TargetSet.ofSorted(sortNumbers(numbers));
  }

  /** The number of targets that are in both sets, counted up to `limit`. O(size of the smaller set). */
  countCommon(other: TargetSet, limit: number): number {
    if (other.size < this.size) return other.countCommon(this, limit);
    other.#sieve ??= sieveOf(other.#numbers);
    const sieve = other.#sieve;
    const numbers = this.#numbers;
    let count = 0;
    for (let i = 0; i < numbers.length && count < limit; i++) {
      const number = numbers[i] ?? 0;
      if (passes(sieve, number) && includes(other.#numbers, number)) count += 1;
    }
    return count;
  }
}

const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** A view of the same memory as bytes. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
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

function passes(sieve: Int32Array, number: number): boolean {
  return ((sieve[(number >>> 5) & (sieve.length - 1)] ?? 0) & (1 << number)) !== 0;
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

/** For shorter arrays, the built-in sort is as fast. */
const worthIt = 4_096;
const digitBits = 11;
const digits = 1 << digitBits;

/** Returns a sorted copy in ascending order. Long arrays use a radix sort, which is four times as fast as the built-in sort. */
export function sortNumbers(numbers: Uint32Array): Uint32Array {
  if (numbers.length < worthIt) return numbers.toSorted();
  let from = numbers;
  let to = new Uint32Array(numbers.length);
  let spare = new Uint32Array(numbers.length);
  for (let shift = 0; shift < 32; shift += digitBits) {
    const places = placesOf(from, shift);
    for (let i = 0; i < from.length; i++) {
      const number = from[i] as number;
      const digit = (number >>> shift) & (digits - 1);
      const place = places[digit] as number;
      places[digit] = place + 1;
      to[place] = number;
    }
    // The input array is only read, never written to.
    [from, to, spare] = [to, spare, to];
  }
  return from;
}

/** For each digit, the index of the first number with this digit in the sorted array. */
function placesOf(numbers: Uint32Array, shift: number): Uint32Array {
  const places = new Uint32Array(digits + 1);
  for (let i = 0; i < numbers.length; i++) {
    const next = (((numbers[i] as number) >>> shift) & (digits - 1)) + 1;
    places[next] = (places[next] as number) + 1;
  }
  for (let digit = 1; digit < digits; digit++)
    places[digit] = (places[digit] as number) + (places[digit - 1] as number);
  return places;
}

/** Counts distinct numbers. Memory grows with the number of distinct values, not with their repetitions. */
export class DistinctNumbers {
  /** First the sorted, distinct numbers of the last compaction, then the numbers that were added since. */
  #numbers = new Float64Array(4_096);
  #size = 0;

  add(number: number): void {
    if (this.#size === this.#numbers.length) this.#makeRoom();
    this.#numbers[this.#size++] = number;
  }

  get count(): number {
    this.#dropRepeated();
    return this.#size;
  }

  #makeRoom(): void {
    this.#dropRepeated();
    if (this.#size <= this.#numbers.length / 2) return;
    const larger = new Float64Array(2 * this.#numbers.length);
    larger.set(this.#numbers);
    this.#numbers = larger;
  }

  #dropRepeated(): void {
    const numbers = this.#numbers.subarray(0, this.#size).sort();
    let size = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] as number;
      if (i === 0 || number !== numbers[size - 1]) numbers[size++] = number;
    }
    this.#size = size;
  }
}
