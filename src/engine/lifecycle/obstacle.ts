import type { Decision } from "../decision.ts";
import type { InputOf } from "../model/input.ts";
import { isSamePlace } from "../model/queue.ts";
import type { ObstacleCode, Reason } from "../reasons/reason.ts";
import { recallMerge } from "./merging/ordered-merge.ts";

/** Pauses the queue while there is an obstacle. A queue that a person has paused does not change. */
export function observeReach(decision: Decision, { obstacle }: InputOf<"reach_observed">): void {
  const { status, statusReason, next, resumes } = decision.state;
  if (obstacle === null) {
    if (resumes === null) return;
    const was = statusReason.code as ObstacleCode;
    return change(decision, { reason: { code: "OBSTACLE_GONE", was }, status: resumes, resumes: null });
  }
  if (resumes !== null && JSON.stringify(statusReason) === JSON.stringify(obstacle)) return;
  const before = resumes ?? (status === "switching_modes" ? next?.status : status);
  if (before === undefined || before === "paused") return;
  change(decision, { reason: obstacle, status: "paused", resumes: before });
  recallMerge(decision);
}

/** Changes the status of the queue. While modes are switched, changes the status after the switch instead. */
function change(
  decision: Decision,
  {
    reason,
    status,
    resumes,
  }: {
    reason: Reason;
    status: "paused" | "running" | "draining";
    resumes: "running" | "draining" | null;
  },
): void {
  const { next, status: now } = decision.state;
  const resuming = resumes === null ? {} : { resumes };
  if (now === "switching_modes" && next)
    decision.record({
      type: "queue_status_changed",
      to: now,
      reason,
      next: { ...next, status },
      ...resuming,
    });
  else decision.record({ type: "queue_status_changed", to: status, reason, ...resuming });
}

/**
 * Records the current names of the repository and the branch, which may have been renamed. If the queue has moved since the code host was
 * asked, the answer may be outdated, and is ignored.
 */
export function observePlace(decision: Decision, { from, repo, branch }: InputOf<"place_observed">): void {
  const { state } = decision;
  if (!isSamePlace(state, from) || isSamePlace(state, { repo, branch })) return;
  decision.record({ type: "queue_moved", repo, branch });
}

/** Stops tests and merges until a person resumes the queue. If only a person can resume it already, it keeps its first reason. */
export function pauseQueue(decision: Decision, reason: Reason): void {
  const { status, next, resumes } = decision.state;
  const isPaused = (status === "switching_modes" ? next?.status : status) === "paused";
  if (!isPaused || resumes !== null) change(decision, { reason, status: "paused", resumes: null });
}
