/** The second of a time, in milliseconds since the epoch: the code host counts whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
