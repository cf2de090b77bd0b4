import type { VirtualTime } from "./virtual-time.ts";

/** How often people look, at first and after half an hour. */
const lookMs = 5_000;
const laterLookMs = 120_000;
const laterMs = 30 * 60_000;

/** Waits as a person does who looks from time to time: while something holds, or for `mostMs`. */
export async function waitWhile(
  time: VirtualTime,
  holds: () => boolean,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let waitedMs = 0; holds() && waitedMs < mostMs; ) {
    const ms = waitedMs < laterMs ? lookMs : laterLookMs;
    await time.pause(ms);
    waitedMs += ms;
  }
}
