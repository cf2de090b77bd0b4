import { setImmediate as nextRound } from "node:timers/promises";

/** Which half of a 64-bit integer is the upper one, in the byte order of this machine. */
export const upper = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** Integers that are sorted at once, in a millisecond or so. */
const sortedAtOnce = 16_384;

/** Part of the integers, from the half that is to be read next on: ascending once it is sorted. */
interface Stretch {
  at: number;
  end: number;
}

/**
 * Pairs of a number and a value by ascending number, as the halves of 64-bit integers, which are sorted as such: objects would be sorted
 * for much longer. They are sorted in pieces, since all at once would hold up everybody, and merged as they are read.
 */
export class AscendingPairs {
  readonly #halves: Uint32Array<ArrayBuffer>;
  readonly #stretches: Stretch[] = [];
  number = 0;
  value = 0;

  /** @param halves of the integers, from the beginning of their buffer on. */
  constructor(halves: Uint32Array<ArrayBuffer>) {
    this.#halves = halves;
  }

  /** Of all halves. */
  get length(): number {
    return this.#halves.length;
  }

  /** What came by ascending number is one stretch, however long. */
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

  /** Reads the next pair. False: there is none. */
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
