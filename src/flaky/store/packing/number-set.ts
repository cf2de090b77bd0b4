/** The number of bits per page, as a power of two. */
const pageBits = 16;
const wordsPerPage = 2 ** (pageBits - 5);

/** A set of integers from 0 to 2^31 - 1. It stores one bit per integer, only for ranges that contain any. */
export class NumberSet {
  readonly #pages = new Map<number, Int32Array>();

  add(number: number): void {
    const page = this.#pageOf(number >>> pageBits);
    const word = (number >>> 5) & (wordsPerPage - 1);
    page[word] = (page[word] ?? 0) | (1 << (number & 31));
  }

  has(number: number): boolean {
    const word = this.#pages.get(number >>> pageBits)?.[(number >>> 5) & (wordsPerPage - 1)] ?? 0;
    return (word & (1 << (number & 31))) !== 0;
  }

  /**
   * Adds the output of `packNumbers`. It is decoded inline, without a call per number, because one request
   * may read a week of them.
   */
  addPacked(bytes: Uint8Array): void {
    let [number, distance, shift, key] = [0, 0, 0, -1];
    let page: Int32Array = new Int32Array(0);
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      distance |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte > 0x7f) continue;
      number += distance;
      distance = 0;
      shift = 0;
      if (number >>> pageBits !== key) {
        key = number >>> pageBits;
        page = this.#pageOf(key);
      }
      const word = (number >>> 5) & (wordsPerPage - 1);
      page[word] = (page[word] ?? 0) | (1 << (number & 31));
    }
  }

  addAll(other: NumberSet): void {
    for (const [key, page] of other.#pages) {
      const own = this.#pageOf(key);
      for (let word = 0; word < wordsPerPage; word++) own[word] = (own[word] ?? 0) | (page[word] ?? 0);
    }
  }

  /** The number of members greater than a number. */
  countAbove(number: number): number {
    let count = 0;
    for (const [key, page] of this.#pages)
      for (let word = firstWord(key, number + 1); word < wordsPerPage; word++)
        count += countBits((page[word] ?? 0) & bitsFrom(key, word, number + 1));
    return count;
  }

  /** Up to `limit` members greater than a number, in ascending order. */
  above(number: number, limit: number): number[] {
    const found: number[] = [];
    for (const [key, page] of [...this.#pages].sort(([a], [b]) => a - b))
      for (let word = firstWord(key, number + 1); word < wordsPerPage; word++)
        for (let bits = (page[word] ?? 0) & bitsFrom(key, word, number + 1); bits !== 0; bits &= bits - 1) {
          if (found.length === limit) return found;
          found.push(firstNumber(key, word) + 31 - Math.clz32(bits & -bits));
        }
    return found;
  }

  /** Up to `limit` members less than a number, in descending order. */
  below(number: number, limit: number): number[] {
    const found: number[] = [];
    for (const [key, page] of [...this.#pages].sort(([a], [b]) => b - a))
      for (let word = Math.min(firstWord(key, number), wordsPerPage - 1); word >= 0; word--)
        for (let bits = (page[word] ?? 0) & ~bitsFrom(key, word, number); bits !== 0; ) {
          if (found.length === limit) return found;
          const highest = 31 - Math.clz32(bits);
          found.push(firstNumber(key, word) + highest);
          bits &= ~(1 << highest);
        }
    return found;
  }

  packed(): Uint8Array {
    return packNumbers(this.above(-1, Number.POSITIVE_INFINITY));
  }

  #pageOf(key: number): Int32Array {
    const known = this.#pages.get(key);
    if (known) return known;
    const page = new Int32Array(wordsPerPage);
    this.#pages.set(key, page);
    return page;
  }
}

function firstNumber(key: number, word: number): number {
  return key * 2 ** pageBits + word * 32;
}

/** The first word of a page that may contain a number or greater ones; `wordsPerPage` when there is none. */
function firstWord(key: number, number: number): number {
  return Math.min(wordsPerPage, Math.max(0, Math.floor((number - firstNumber(key, 0)) / 32)));
}

/** The bits of a word that represent a number and greater ones. */
function bitsFrom(key: number, word: number, number: number): number {
  const bit = number - firstNumber(key, word);
  return bit <= 0 ? -1 : bit > 31 ? 0 : -1 << bit;
}

/** The number of bits that are set in a word. Source: Warren, "Hacker's Delight" (2002), 5-1. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/**
 * Packs ascending numbers, each as the difference from the previous one, in variable-length integers: seven
 * bits per byte, lowest first, with the high bit set when more bytes follow. `NumberSet` reads them.
 */
export function packNumbers(ascending: ArrayLike<number> & Iterable<number>): Uint8Array {
  const bytes = new Uint8Array(ascending.length * 5);
  let at = 0;
  let before = 0;
  for (const number of ascending) {
    let rest = number - before;
    before = number;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
  }
  return bytes.slice(0, at);
}
