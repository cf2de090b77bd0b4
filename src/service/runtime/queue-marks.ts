import type { Event, EventData } from "../../engine/model/event.ts";
import type { QueueState, QueueStatus } from "../../engine/model/queue.ts";

/** What stops a queue from merging whatever passes; null = nothing does. */
export type Stop = Exclude<QueueStatus, "running"> | "frozen" | null;

/** A mark on a queue's axis of time: a merge, a failure, or a change of what stops the queue. */
export type Mark =
  | { readonly at: number; readonly what: "merged" | "failed"; readonly pr: number }
  | { readonly at: number; readonly stop: Stop };

/** What decides whether something stops the queue. */
export interface Standing {
  readonly status: QueueStatus;
  readonly isFrozen: boolean;
}

/** Of a queue without events. */
export const firstStanding: Standing = { status: "running", isFrozen: false };

export function standingOf({ status, freeze }: Pick<QueueState, "status" | "freeze">): Standing {
  return { status, isFrozen: freeze !== null };
}

export function stopOf({ status, isFrozen }: Standing): Stop {
  if (status !== "running") return status;
  return isFrozen ? "frozen" : null;
}

/** The marks of consecutive events, and how the queue stands after them. */
export interface Marks {
  readonly marks: readonly Mark[];
  readonly standing: Standing;
}

export function marksOf(events: readonly Event[], before: Standing): Marks {
  let standing = before;
  const marks = events.flatMap(({ at, data }): Mark[] => {
    const stop = stopOf(standing);
    standing = standingAfter(standing, data);
    if (stopOf(standing) !== stop) return [{ at, stop: stopOf(standing) }];
    if (data.type !== "entry_moved" || (data.to !== "merged" && data.to !== "failed")) return [];
    return [{ at, what: data.to, pr: data.pr }];
  });
  return { marks, standing };
}

function standingAfter(before: Standing, data: EventData): Standing {
  if (data.type === "queue_status_changed") return { ...before, status: data.to };
  if (data.type === "freeze_changed") return { ...before, isFrozen: data.freeze !== null };
  return before;
}
