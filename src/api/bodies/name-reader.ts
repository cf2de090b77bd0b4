import { mixed } from "../../engine/model/targets.ts";

const maxBytes = 4_096;
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** The character that an escape represents, keyed by the byte after the backslash. */
const escapes: Readonly<Record<number, number>> = Object.fromEntries(
  ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
);

/**
 * Hashes names directly in JSON, as `numberOf` does, and creates no strings. The body has to be UTF-8. The methods are small,
 * because only small methods are compiled to fast code.
 */
export class NameReader {
  readonly #body: Uint8Array;
  readonly #basis: number;
  readonly #prime: number;
  #hash = 0;
  /** The offset of the quotation mark that ended the name. */
  at = 0;

  constructor(body: Uint8Array, { basis, prime }: { readonly basis: number; readonly prime: number }) {
    this.#body = body;
    this.#basis = basis;
    this.#prime = prime;
  }

  /** The number of the name that was read last. */
  get number(): number {
    return mixed(this.#hash);
  }

  /** Reads the name after this quotation mark. Returns whether it is a valid target: not too long, and without NUL. */
  read(from: number): boolean {
    this.at = from + 1;
    this.#hash = this.#basis;
    while (this.#readPlain() !== quote) if (!this.#readUnusual()) return false;
    return this.at - from - 1 <= maxBytes;
  }

  /** Reads up to a byte that does not represent itself, and returns that byte. */
  #readPlain(): number {
    const body = this.#body;
    const prime = this.#prime;
    let at = this.at;
    let hash = this.#hash;
    let byte = body[at] as number;
    while (byte !== quote && byte !== backslash && byte >= 0x20 && byte < 0x80) {
      hash = Math.imul(hash ^ byte, prime);
      byte = body[++at] as number;
    }
    this.at = at;
    this.#hash = hash;
    return byte;
  }

  /** Reads an escape, or a character of several bytes. Returns false when it is neither, or NUL. */
  #readUnusual(): boolean {
    const byte = this.#body[this.at] ?? 0;
    if (byte >= 0x80) return this.#readCharacter(byte);
    if (byte !== backslash) return false;
    const letter = this.#body[this.at + 1] ?? 0;
    if (letter === letterU) return this.#readHexadecimal();
    const unit = escapes[letter];
    this.at += 2;
    return unit !== undefined && this.#add(unit);
  }

  #readHexadecimal(): boolean {
    let unit = 0;
    for (let digit = this.at + 2; digit < this.at + 6; digit++) {
      const value = hexadecimal(this.#body[digit] ?? 0);
      if (value < 0) return false;
      unit = unit * 16 + value;
    }
    this.at += 6;
    return unit !== 0 && this.#add(unit);
  }

  #readCharacter(first: number): boolean {
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    let point = first & (0xff >> (length + 1));
    for (let more = 1; more < length; more++) {
      point = (point << 6) | ((this.#body[this.at + more] ?? 0) & 0x3f);
    }
    this.at += length;
    if (point < 0x10000) return this.#add(point);
    this.#add(0xd800 + ((point - 0x10000) >> 10));
    return this.#add(0xdc00 + (point & 0x3ff));
  }

  #add(unit: number): true {
    this.#hash = Math.imul(this.#hash ^ unit, this.#prime);
    return true;
  }
}

function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
