import { setImmediate as nextRound } from "node:timers/promises";

/** The index of the upper half of a 64-bit integer, which depends on the machine's byte order. */
export const upper = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** The number of integers per sorted piece; sorting one takes about a millisecond. */
const sortedAtOnce = 16_384;

/** A sorted piece of the integers, and the half to read next. */
interface Stretch {
  at: number;
  end: number;
}

/**
 * Pairs of a number and a value, read in ascending order of their numbers. Each pair is stored as the two
 * halves of a 64-bit integer, because sorting integers is much faster than sorting objects. They are sorted
 * in pieces, so that other work can run, and merged on reading.
 */
export class AscendingPairs {
  readonly #halves: Uint32Array<ArrayBuffer>;
  readonly #stretches: Stretch[] = [];
  number = 0;
  value = 0;

  /** @param halves the halves of the integers; must begin at the start of their buffer. */
  constructor(halves: Uint32Array<ArrayBuffer>) {
    this.#halves = halves;
  }

  /** The number of halves. */
  get length(): number {
    return this.#halves.length;
  }

  /** Integers that arrive in ascending order form one piece of any length. */
  async sort(): Promise<void> {
    const { length } = this.#halves;
    for (let at = 0; at < length; at += 2 * sortedAtOnce) {
      if (at > 0) await nextRound();
      const end = Math.min(length, at + 2 * sortedAtOnce);
      new BigUint64Array(this.#halves.buffer, 4 * at, (end - at) / 2).sort();
      const before = this.#stretches.at(-1);
      if (before && this.#numberAt(before.end - 2) < this.#numberAt(at)) before.end = end;
      else this.#stretches.push({ at, end });
    }
  }

  /** Moves to the next pair; false when there is none. */
  next(): boolean {
    let lowest: Stretch | null = null;
    for (const stretch of this.#stretches)
      if (lowest === null || this.#numberAt(stretch.at) < this.#numberAt(lowest.at)) lowest = stretch;
    if (lowest === null) return false;
    this.number = this.#numberAt(lowest.at);
    this.value = this.#halves[lowest.at + 1 - upper] ?? 0;
    lowest.at += 2;
    if (lowest.at === lowest.end) this.#stretches.splice(this.#stretches.indexOf(lowest), 1);
    return true;
  }

  #numberAt(pair: number): number {
    return this.#halves[pair + upper] ?? 0;
  }
}
