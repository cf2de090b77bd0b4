import type { QueueState } from "../../engine/model/queue.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { ObservationContext } from "../observation/observation-context.ts";

/** Whether anyone may read a queue's page, as far as it is known without a call. */
export function hasPublicPage(
  { settings: service, reach }: ObservationContext,
  { id, settings }: QueueState,
): boolean {
  return settings.publicPage ?? (service.publicPages && reach.isPublic(id));
}

/** The same, but looks at the code host first if that is due: visitors cause no more calls than the queue itself. */
export async function lookForPublicPage(
  context: ObservationContext,
  queue: QueueRecord,
  state: QueueState,
): Promise<boolean> {
  if (state.settings.publicPage === undefined && context.settings.publicPages)
    await context.reach.checkDue(queue);
  return hasPublicPage(context, state);
}
