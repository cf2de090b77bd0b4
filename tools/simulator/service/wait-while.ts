import type { VirtualTime } from "./virtual-time.ts";

/** How often people look. */
const lookMs = 5_000;

/** Waits as a person does who looks from time to time: while something holds, or for `mostMs`. */
export async function waitWhile(
  time: VirtualTime,
  holds: () => boolean,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let waitedMs = 0; holds() && waitedMs < mostMs; waitedMs += lookMs) await time.pause(lookMs);
}
