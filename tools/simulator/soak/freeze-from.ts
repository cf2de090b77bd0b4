import type { Freeze } from "../../../src/engine/model/freeze.ts";

/** A freeze that begins now. Its end is minutes or hours away, as a drawn number says. */
export function freezeFrom(now: number, n: number): Freeze {
  const until = now + (1 + (n % 9) ** 2) * 10 * 60_000;
  return { reason: `Freeze ${n}`, since: now, until, timeZone: "UTC" };
}
