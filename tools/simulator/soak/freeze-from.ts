import type { Freeze } from "../../../src/engine/model/order/delay.ts";

/** Returns a freeze that begins now. The drawn number determines its end, minutes or hours from now. */
export function freezeFrom(now: number, n: number): Freeze {
  const until = now + (1 + (n % 9) ** 2) * 10 * 60_000;
  return { reason: `Freeze ${n}`, since: now, until, timeZone: "UTC" };
}
