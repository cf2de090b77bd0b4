import { setTimeout as sleep } from "node:timers/promises";
import type { MergeGate } from "../../ports/code-host/merging.ts";
import { CodeHostError, toCodeHostError } from "../client/code-host-error.ts";

/**
 * The time after which a call without a response has taken its effect: GitHub answers within ten seconds, and mostly in a fraction
 * of one.
 */
const settlingMs = 2_000;

/**
 * Makes a call that merges. If it fails and has certainly done nothing, tells the gate that the steps after the first `done` ones
 * are not done. `isUndone` returns true if a call without a response has done nothing.
 */
export async function makeCall<T>(
  gate: MergeGate,
  done: number,
  call: () => Promise<T>,
  isUndone: () => Promise<boolean>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isWithoutAnswer(error) || (await isUndoneAfterAll(isUndone))) await gate.notDone(done);
    throw error;
  }
}

/** Whether the effect of a failed call is unknown. */
export function isWithoutAnswer(error: unknown): boolean {
  const classified = toCodeHostError(error);
  return !(classified instanceof CodeHostError) || classified.kind === "unavailable";
}

async function isUndoneAfterAll(isUndone: () => Promise<boolean>): Promise<boolean> {
  await sleep(settlingMs);
  try {
    return await isUndone();
  } catch (error) {
    // Still unknown; the next try reads it.
    if (toCodeHostError(error) instanceof CodeHostError) return false;
    throw error;
  }
}

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
