import { serialSlots, testsOneAtATime } from "../interrupted.ts";
import type { QueueState } from "../queue.ts";
import { effective } from "../settings.ts";
import { isActive } from "../test-run.ts";

/** How many runs may start. */
export interface Slots {
  /** For whatever comes. */
  readonly main: number;
  /** For tests that find out who is at fault; these take main slots, too, when their own are all in use. */
  readonly retest: number;
  readonly all: number;
}

/** That many slots are kept free of what only might be needed. */
const reserve = 0.05;

export function freeSlots(state: QueueState): Slots {
  if (testsOneAtATime(state)) return { main: serialSlots(state), retest: 0, all: 1 };
  const all = effective(state.settings, "concurrency") + effective(state.settings, "bisectionConcurrency");
  let main = effective(state.settings, "concurrency");
  let retest = effective(state.settings, "bisectionConcurrency");
  for (const run of state.runs.values()) {
    if (!isActive(run)) continue;
    if (run.kind === "main") main -= 1;
    else retest -= 1;
  }
  return { main: Math.max(0, main), retest: Math.max(0, retest), all };
}

export function isScarce({ main, retest, all }: Slots): boolean {
  return main + retest < reserve * all;
}

/** How many hedges may start. */
export function idleSlots({ main, all }: Slots): number {
  return Math.max(0, Math.ceil(main - reserve * all));
}
