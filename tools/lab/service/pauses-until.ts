import { setTimeout as sleep } from "node:timers/promises";

export interface Pauses {
  isOver(): boolean;
  /** Resolves after a time, or when the demo ends. */
  pause(ms: number): Promise<void>;
}

/** Pauses that the end of the demo cuts short. */
export function pausesUntil(finished: Promise<void>): Pauses {
  let over = false;
  const end = () => {
    over = true;
  };
  // The error of the demo is reported to the callers that wait for the demo.
  const ending = finished.then(end, end);
  return {
    isOver: () => over,
    pause: (ms) => Promise.race([sleep(ms, undefined, { ref: false }), ending]),
  };
}
