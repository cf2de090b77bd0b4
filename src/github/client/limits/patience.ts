import { setTimeout as sleep } from "node:timers/promises";

const waitsMs = [200, 400, 800, 1_600];

/**
 * Repeats a step while it returns `again`, for about three seconds. The step reads everything again each time. A step that stays
 * undecided is `not_possible`.
 */
export async function patiently<T>(step: () => Promise<T | "again">): Promise<T | "not_possible"> {
  for (const wait of waitsMs) {
    const result = await step();
    if (result !== "again") return result;
    await sleep(wait);
  }
  const result = await step();
  return result === "again" ? "not_possible" : result;
}
