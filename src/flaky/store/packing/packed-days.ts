/**
 * How often tests ran and failed in each hour of a UTC day. A block covers 32 tests with consecutive numbers:
 * for each, 24 pairs of runs and failures, as 16-bit little-endian integers. A table row per test and day
 * would be six times as large, and each upload would write as many rows as it has tests.
 */
export const testsPerBlock = 32;
/** The number of bytes per test. */
export const bytesPerTest = 24 * 2 * 2;
/** The number of bytes per block. */
export const dayBytes = testsPerBlock * bytesPerTest;
const most = 0xffff;

export interface HourCount {
  readonly runs: number;
  readonly failures: number;
}

export function blockOf(sk: number): number {
  return Math.floor(sk / testsPerBlock);
}

/** The offset of a test's counts in its block. */
export function offsetOf(sk: number): number {
  return (sk % testsPerBlock) * bytesPerTest;
}

export function emptyDay(): Uint8Array {
  return new Uint8Array(dayBytes);
}

/** The 24 hours of one test. */
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
