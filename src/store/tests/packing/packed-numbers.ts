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
