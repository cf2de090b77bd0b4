/** Waits for one turn of the event loop, so that work that has arrived meanwhile runs first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
