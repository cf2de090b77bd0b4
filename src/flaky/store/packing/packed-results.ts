import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { TestOutcome } from "../../report/test-execution.ts";

/** The result of a test, by its number. A test's number never changes. */
export interface NumberedResult {
  readonly sk: number;
  readonly first: TestOutcome;
  readonly last: TestOutcome;
  readonly flipped: boolean;
  readonly durationMs: number;
}

const outcomes = ["passed", "failed", "skipped"] as const satisfies readonly TestOutcome[];
const longest = 2 ** 26;

/** The number of results to process before other work runs. */
const atATime = 4_000;

/**
 * Packs the results of an upload in about four bytes each, by ascending test number: for each test the
 * difference from the previous number, and then its milliseconds, shifted left by five bits that hold the
 * outcome (two for the first attempt, two for the last, one if it both passed and failed). All are
 * variable-length integers: seven bits per byte, lowest first, with the high bit set when more bytes follow.
 */
export async function packResults(results: Iterable<NumberedResult>): Promise<Uint8Array> {
  const pairs = new AscendingPairs(await pairsOf(results));
  await pairs.sort();
  const bytes = new Uint8Array(pairs.length * 5);
  let at = 0;
  const write = (value: number) => {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
  };
  let before = 0;
  for (let written = 1; pairs.next(); written += 1) {
    write(pairs.number - before);
    before = pairs.number;
    write(pairs.value);
    if (written % atATime === 0) await nextRound();
  }
  return bytes.slice(0, at);
}

/** The test number and the packed result of each, as the two halves of an integer. */
async function pairsOf(results: Iterable<NumberedResult>): Promise<Uint32Array<ArrayBuffer>> {
  let pairs = new Uint32Array(2 * 1024);
  let end = 0;
  for (const some of inBatches(results, atATime)) {
    for (const { sk, first, last, flipped, durationMs } of some) {
      if (end === pairs.length) {
        const longer = new Uint32Array(2 * end);
        longer.set(pairs);
        pairs = longer;
      }
      const code = outcomes.indexOf(first) | (outcomes.indexOf(last) << 2) | (flipped ? 16 : 0);
      pairs[end + upper] = sk;
      pairs[end + 1 - upper] = (Math.min(longest, Math.max(0, Math.round(durationMs))) << 5) | code;
      end += 2;
    }
    if (some.length === atATime) await nextRound();
  }
  return pairs.subarray(0, end);
}

/** @throws Error when the bytes are not the output of `packResults`. */
export function* unpackResults(bytes: Uint8Array): Generator<NumberedResult> {
  let at = 0;
  const read = () => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("packed results end in the middle of a number");
      value = (value | ((byte & 0x7f) << shift)) >>> 0;
      if (byte < 0x80) return value;
    }
    throw new Error("packed results hold a number that is too long");
  };
  let sk = 0;
  while (at < bytes.length) {
    sk += read();
    const packed = read();
    const first = outcomes[packed & 3];
    const last = outcomes[(packed >>> 2) & 3];
    if (!first || !last) throw new Error("packed results hold an outcome that is none");
    yield { sk, first, last, flipped: (packed & 16) !== 0, durationMs: packed >>> 5 };
  }
}

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
