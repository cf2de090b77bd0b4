import type { QueueState } from "../../engine/model/queue.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { MergeQueueParts } from "./merge-queues.ts";

type Parts = Pick<MergeQueueParts, "publicPages" | "reach">;

/** Whether anyone may read a queue's page, as far as it is known without a call. */
export function hasPublicPage({ publicPages, reach }: Parts, { id, settings }: QueueState): boolean {
  return settings.publicPage ?? (publicPages && reach.isPublic(id));
}

/** The same, but looks at the code host first if that is due: visitors cause no more calls than the queue itself. */
export async function lookForPublicPage(
  parts: Parts,
  queue: QueueRecord,
  state: QueueState,
): Promise<boolean> {
  if (state.settings.publicPage === undefined && parts.publicPages) await parts.reach.checkDue(queue);
  return hasPublicPage(parts, state);
}
