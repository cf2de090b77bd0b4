import { setTimeout as sleep } from "node:timers/promises";
import type { MergeGate } from "../../ports/code-host/merging.ts";
import { CodeHostError, toCodeHostError } from "./code-host-error.ts";

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
