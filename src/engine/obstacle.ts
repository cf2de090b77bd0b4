import type { Decision } from "./decision.ts";
import type { Observation } from "./input.ts";
import type { QueueState } from "./queue.ts";
import { recallMerge } from "./recall-merge.ts";

/** Why nothing can be tested or merged in a whole repository or branch. Each is a reason, too. */
export type Obstacle =
  | { readonly code: "APP_SUSPENDED"; readonly owner: string; readonly url: string }
  | { readonly code: "APP_UNINSTALLED"; readonly owner: string }
  /** `permissions` as in a manifest: `contents: write`. */
  | {
      readonly code: "APP_PERMISSIONS_NOT_GRANTED";
      readonly owner: string;
      readonly permissions: readonly string[];
      readonly url: string;
    }
  | { readonly code: "REPOSITORY_UNREACHABLE"; readonly repository: string }
  | { readonly code: "REPOSITORY_ARCHIVED"; readonly repository: string }
  | { readonly code: "BRANCH_MISSING"; readonly branch: string };

export type ObstacleCode = Obstacle["code"];

/** The cause, and what removes it. `foreign` as for `renderReason`. */
export function renderObstacle(obstacle: Obstacle, foreign: (text: string) => string): string {
  const goesOn = "the queue then goes on by itself";
  switch (obstacle.code) {
    case "APP_SUSPENDED":
      return `the GitHub App is suspended on ${foreign(obstacle.owner)}; unsuspend it at ${obstacle.url}, and ${goesOn}`;
    case "APP_UNINSTALLED":
      return `the GitHub App is not installed on ${foreign(obstacle.owner)}; install it again, and ${goesOn}`;
    case "APP_PERMISSIONS_NOT_GRANTED":
      return `the GitHub App on ${foreign(obstacle.owner)} lacks ${obstacle.permissions.join(", ")}; accept its new permissions at ${obstacle.url}, and ${goesOn}`;
    case "REPOSITORY_UNREACHABLE":
      return `the GitHub App cannot see ${foreign(obstacle.repository)}: it was deleted, or transferred, or the App's access was removed; install the App where the repository is now and give it access, or delete this queue`;
    case "REPOSITORY_ARCHIVED":
      return `${foreign(obstacle.repository)} is archived, so that it cannot be changed; unarchive it in its settings, and ${goesOn}`;
    case "BRANCH_MISSING":
      return `the branch ${foreign(obstacle.branch)} does not exist; create it again, and ${goesOn}, or delete this queue`;
  }
}

/** Whether the queue is stopped by an obstacle, and goes on when that is gone. */
export function isObstructed({ resumes }: Pick<QueueState, "resumes">): boolean {
  return resumes !== null;
}

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
