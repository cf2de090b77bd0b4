import type { Decision } from "../decision.ts";
import type { Observation } from "../model/input.ts";
import type { Obstacle, ObstacleCode } from "../reasons/obstacle.ts";
import { recallMerge } from "./recall-merge.ts";

/** Pauses the queue for as long as there is an obstacle. A queue that somebody has paused stays as it is. */
export function observeReach(
  decision: Decision,
  { obstacle }: Extract<Observation, { type: "reach_observed" }>,
): void {
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

/** A change of modes goes on, towards the state that the obstacle asks for. */
function change(
  decision: Decision,
  {
    reason,
    status,
    resumes,
  }: {
    reason: Obstacle | { readonly code: "OBSTACLE_GONE"; readonly was: ObstacleCode };
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

/** Takes note of where the repository and the branch are now: names change, and the queue goes with them. */
export function observePlace(
  decision: Decision,
  { repo, branch }: Extract<Observation, { type: "place_observed" }>,
): void {
  const { state } = decision;
  if (JSON.stringify([state.repo, state.branch]) === JSON.stringify([repo, branch])) return;
  decision.record({ type: "queue_moved", repo, branch });
}
