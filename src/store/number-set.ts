import { packNumbers } from "./packed-numbers.ts";

/** Bits of one page, as a power of two. */
const pageBits = 16;
const wordsPerPage = 2 ** (pageBits - 5);

/** A set of whole numbers from 0 to 2^31 - 1, with one bit each in those ranges where there are any. */
export class NumberSet {
  readonly #pages = new Map<number, Int32Array>();

  add(number: number): void {
    const page = this.#pageOf(number >>> pageBits);
    const word = (number >>> 5) & (wordsPerPage - 1);
    page[word] = (page[word] ?? 0) | (1 << (number & 31));
  }

  /** Adds what `packNumbers` has made. In one piece, without a call for each: a week of them is gone through for one request. */
  addPacked(bytes: Uint8Array): void {
    let [number, distance, shift, key] = [0, 0, 0, -1];
    let page: Int32Array = new Int32Array(0);
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      distance |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte > 0x7f) continue;
      number += distance;
      [distance, shift] = [0, 0];
      if (number >>> pageBits !== key) {
        key = number >>> pageBits;
        page = this.#pageOf(key);
      }
      const word = (number >>> 5) & (wordsPerPage - 1);
      page[word] = (page[word] ?? 0) | (1 << (number & 31));
    }
  }

  size(): number {
    let size = 0;
    for (const page of this.#pages.values())
      for (let word = 0; word < wordsPerPage; word++) size += bitsOf(page[word] ?? 0);
    return size;
  }

  descending(): Int32Array {
    const numbers = new Int32Array(this.size());
    let at = 0;
    for (const key of [...this.#pages.keys()].sort((a, b) => b - a)) {
      const page = this.#pageOf(key);
      for (let word = wordsPerPage - 1; word >= 0; word--)
        for (let bits = page[word] ?? 0; bits !== 0; ) {
          const highest = 31 - Math.clz32(bits);
          numbers[at++] = key * 2 ** pageBits + word * 32 + highest;
          bits &= ~(1 << highest);
        }
    }
    return numbers;
  }

  packed(): Uint8Array {
    return packNumbers(this.descending().reverse());
  }

  #pageOf(key: number): Int32Array {
    const known = this.#pages.get(key);
    if (known) return known;
    const page = new Int32Array(wordsPerPage);
    this.#pages.set(key, page);
    return page;
  }
}

/** How many bits of a word are set. Source: Warren, "Hacker's Delight" (2002), 5-1. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
