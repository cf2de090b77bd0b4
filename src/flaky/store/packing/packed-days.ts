/**
 * How often tests ran and failed in each hour of a UTC day. A block covers 32 tests with consecutive numbers:
 * for each, 24 pairs of runs and failures, as 16-bit little-endian integers. A table row per test and day
 * would be six times as large, and each upload would write as many rows as it has tests.
 */
export const testsPerBlock = 32;
export const bytesPerTest = 24 * 2 * 2;
export const dayBytes = testsPerBlock * bytesPerTest;
const most = 0xffff;

export interface HourCount {
  readonly runs: number;
  readonly failures: number;
}

export function blockOf(sk: number): number {
  return Math.floor(sk / testsPerBlock);
}

export function offsetOf(sk: number): number {
  return (sk % testsPerBlock) * bytesPerTest;
}

export function emptyDay(): Uint8Array {
  return new Uint8Array(dayBytes);
}

export function hoursOf(day: Uint8Array, sk: number): readonly HourCount[] {
  const view = new DataView(day.buffer, day.byteOffset + offsetOf(sk), bytesPerTest);
  return Array.from({ length: 24 }, (_, hour) => ({
    runs: view.getUint16(hour * 4, true),
    failures: view.getUint16(hour * 4 + 2, true),
  }));
}

/** Counts one run in a block. A count stops at 65,535 per hour. */
export function addToDay(day: Uint8Array, sk: number, hour: number, failed: boolean): void {
  const view = new DataView(day.buffer, day.byteOffset, day.byteLength);
  const at = offsetOf(sk) + hour * 4;
  view.setUint16(at, Math.min(most, view.getUint16(at, true) + 1), true);
  if (failed) view.setUint16(at + 2, Math.min(most, view.getUint16(at + 2, true) + 1), true);
}

const hours = 24;
const columns = 2;
/** A bit for each stored hour and column: 24 of runs, then 24 of failures. */
const maskBytes = (hours * columns) / 8;
const bytesPerColumn = testsPerBlock * 2;

/**
 * Packs a block of counts: a mask, followed by the 32 counts of each hour with counts, runs separate from failures, in the order of the
 * mask. Most blocks have runs only in a few hours, and failures in fewer. A block that would not become shorter is stored unchanged.
 */
export function packDay(day: Uint8Array): Uint8Array {
  const view = new DataView(day.buffer, day.byteOffset, day.byteLength);
  const stored = new Uint8Array(maskBytes + dayBytes);
  const written = new DataView(stored.buffer);
  let at = maskBytes;
  for (let column = 0; column < hours * columns; column++) {
    const from = offsetOfColumn(column);
    let isEmpty = true;
    for (let test = 0; test < testsPerBlock; test++) {
      const count = view.getUint16(from + test * hours * columns * 2, true);
      written.setUint16(at + test * 2, count, true);
      if (count > 0) isEmpty = false;
    }
    if (isEmpty) continue;
    stored[column >> 3] = (stored[column >> 3] ?? 0) | (1 << (column & 7));
    at += bytesPerColumn;
    if (at >= dayBytes) return day;
  }
  return stored.slice(0, at);
}

/** The unpacked block; null when the bytes are not the output of `packDay`. */
export function unpackDay(stored: Uint8Array): Uint8Array | null {
  if (!(stored instanceof Uint8Array) || stored.length < maskBytes) return null;
  if (stored.length === dayBytes) return stored;
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  const day = new Uint8Array(dayBytes);
  const read = new DataView(day.buffer);
  let at = maskBytes;
  for (let column = 0; column < hours * columns; column++) {
    if (((view.getUint8(column >> 3) >> (column & 7)) & 1) === 0) continue;
    if (at + bytesPerColumn > stored.length) return null;
    const to = offsetOfColumn(column);
    for (let test = 0; test < testsPerBlock; test++)
      read.setUint16(to + test * hours * columns * 2, view.getUint16(at + test * 2, true), true);
    at += bytesPerColumn;
  }
  return at === stored.length ? day : null;
}

/** The offset of the first test's count in a block. */
function offsetOfColumn(column: number): number {
  return (column % hours) * columns * 2 + Math.floor(column / hours) * 2;
}
