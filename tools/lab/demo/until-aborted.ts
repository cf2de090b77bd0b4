import { once } from "node:events";

/** Rejects with the signal's reason once the signal has aborted. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}
