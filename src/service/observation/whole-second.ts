/** Rounds a time down to a second, in milliseconds since the epoch, because the code host's times are whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
