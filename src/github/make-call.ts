import { setTimeout as sleep } from "node:timers/promises";
import type { MergeGate } from "../ports/merge-plan.ts";
import { CodeHostError, toCodeHostError } from "./code-host-error.ts";

/** After which what a broken call has begun has ended: GitHub answers within ten seconds, and mostly in a fraction of one. */
const settlingMs = 2_000;

/**
 * Makes a call that merges. When it fails and has certainly done nothing, it can be called off again behind the first `done`
 * steps; `isUndone` reads whether a call without an answer has done anything.
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

/** What it did is not known. */
export function isWithoutAnswer(error: unknown): boolean {
  const classified = toCodeHostError(error);
  return !(classified instanceof CodeHostError) || classified.kind === "unavailable";
}

async function isUndoneAfterAll(isUndone: () => Promise<boolean>): Promise<boolean> {
  await sleep(settlingMs);
  try {
    return await isUndone();
  } catch (error) {
    // Unknown: then the next try reads it.
    if (toCodeHostError(error) instanceof CodeHostError) return false;
    throw error;
  }
}
