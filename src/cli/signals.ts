import { once } from "node:events";

/**
 * From now on, SIGINT and SIGTERM do not end the process. They abort the returned signal, with the name of the system's
 * signal as the reason. A second signal ends the process at once. Call this before anything is loaded or begun: a signal that
 * comes earlier finds nothing that has to be closed.
 */
export function listenForStop(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort(signal);
    });
  }
  return stop.signal;
}

/** Resolves with the name of the signal. */
export async function untilStopped(stop: AbortSignal): Promise<string> {
  if (!stop.aborted) await once(stop, "abort");
  return String(stop.reason);
}
