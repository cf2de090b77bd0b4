import { upheavals } from "./virtual-repository.ts";

/**
 * What can happen at a boundary.
 *
 * - to the process that reaches it: `kill`; `freeze`, for a minute; `doze`, for about the length of a lease
 * - to the base: `push_to_base`, somebody merges something else; `rewind`, it is set back to its first commit
 * - to a good pull request: `merge_by_hand` and `object`, by somebody; `close`, `draft` and `retarget`, by its author, who submits it
 *   again five seconds later; `ready`, a draft is marked as ready; `restart`, its tests are restarted; `delete_comments`, somebody
 *   deletes the comments of the service
 * - to a pull request that is withdrawn: `push` and `cancel`, by its author
 * - to the queue: `pause`; `reconfigure`; `remove_branches`, somebody removes all test branches
 * - to the repository, or to the App on it: the others
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
  "delete_comments",
  "pause",
  "reconfigure",
  ...upheavals,
] as const;
export type BoundaryEvent = (typeof boundaryEvents)[number];

/** Whether the pull request may be cancelled, or merged if that was faster. */
export function isWithdrawal(event: BoundaryEvent): boolean {
  return event === "push" || event === "cancel";
}
