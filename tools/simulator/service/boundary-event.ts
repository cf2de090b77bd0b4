import { upheavals } from "./virtual-repository.ts";

/**
 * What can happen at a boundary. `kill`, `freeze` and `doze`: to the process that reaches it. A process dozes for about the length of a lease. `push_to_base`: somebody merges something else.
 * `rewind`: the base is set back to its first commit. `merge_by_hand`: somebody merges a good pull request. `object`: somebody objects to it.
 * `close`, `draft` and `retarget`: its author closes it, makes it a draft or changes its base branch, and submits it again five seconds
 * later. `remove_branches`: somebody removes all test branches. `push` and `cancel`: its author withdraws it. `ready`: a draft is marked as ready. `restart`: tests are restarted. `pause` and
 * `reconfigure`: of the queue. The others happen to the repository.
 */
export const boundaryEvents = [
  "kill",
  "freeze",
  "doze",
  "push_to_base",
  "rewind",
  "merge_by_hand",
  "object",
  "close",
  "draft",
  "retarget",
  "remove_branches",
  "push",
  "cancel",
  "ready",
  "restart",
  "pause",
  "reconfigure",
  ...upheavals,
] as const;
export type BoundaryEvent = (typeof boundaryEvents)[number];

/** Whether the pull request may be cancelled, or merged if that was faster. */
export function isWithdrawal(event: BoundaryEvent): boolean {
  return event === "push" || event === "cancel";
}
