import type { Event, EventData } from "../../engine/model/event.ts";
import type { QueueState, QueueStatus } from "../../engine/model/queue.ts";

/** What prevents all merges of a queue, or `stalled`: nothing has merged for too long; null = nothing does. */
export type Stop = Exclude<QueueStatus, "running"> | "frozen" | "stalled" | null;

/** A mark on a queue's time axis: a merge, a failure, or a change of what prevents merges. */
export type Mark =
  | { readonly at: number; readonly what: "merged" | "failed"; readonly pr: number }
  | { readonly at: number; readonly stop: Stop };

/** What determines whether something prevents merges. */
export interface StopState {
  readonly status: QueueStatus;
  readonly isFrozen: boolean;
  /** Absent in rows that an earlier version stored. */
  readonly isStalled?: boolean;
}

/** The state of a queue without events. */
export const firstStopState: StopState = { status: "running", isFrozen: false };

export function stopStateOf({
  status,
  freeze,
  stall,
}: Pick<QueueState, "status" | "freeze" | "stall">): StopState {
  return { status, isFrozen: freeze !== null, isStalled: stall !== null };
}

export function stopOf({ status, isFrozen, isStalled }: StopState): Stop {
  if (status !== "running") return status;
  if (isFrozen) return "frozen";
  return isStalled ? "stalled" : null;
}

/** The marks of consecutive events, and the state after them. */
export interface Marks {
  readonly marks: readonly Mark[];
  readonly standing: StopState;
}

export function marksOf(events: readonly Event[], before: StopState): Marks {
  let stopState = before;
  const marks = events.flatMap(({ at, data }): Mark[] => {
    const stop = stopOf(stopState);
    stopState = stopStateAfter(stopState, data);
    if (stopOf(stopState) !== stop) return [{ at, stop: stopOf(stopState) }];
    if (data.type !== "entry_moved" || (data.to !== "merged" && data.to !== "failed")) return [];
    return [{ at, what: data.to, pr: data.pr }];
  });
  return { marks, standing: stopState };
}

function stopStateAfter(before: StopState, data: EventData): StopState {
  if (data.type === "queue_status_changed") return { ...before, status: data.to };
  if (data.type === "freeze_changed") return { ...before, isFrozen: data.freeze !== null };
  if (data.type === "stall_changed") return { ...before, isStalled: data.stall !== null };
  return before;
}
