import type { QueueState } from "../../engine/model/queue.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { settingsInForce } from "../runtime/settings-in-force.ts";
import { type QueueView, queueView } from "../runtime/views.ts";

/** Reads a queue, and for settings that it leaves open, the values from the repository file and the service. */
export async function readQueueView(
  context: ObservationContext,
  state: QueueState,
  installationId: number,
): Promise<QueueView> {
  const file = await context.files.known({ ...state.repo, installationId }, state.branch);
  const inForce = settingsInForce(state.settings, file, context.settings.submitLabel);
  return queueView(state, { ...inForce, publicPage: hasPublicPage(context, state) }, context.forecasts);
}

/** Whether anyone may read a queue's page, as far as it is known without a call. */
export function hasPublicPage(
  { settings: service, reach }: ObservationContext,
  { id, settings }: QueueState,
): boolean {
  return settings.publicPage ?? (service.publicPages && reach.isPublic(id));
}

/** Like `hasPublicPage`, but asks the code host first if that is due: visitors cause no more calls than the queue itself. */
export async function lookForPublicPage(
  context: ObservationContext,
  queue: QueueRecord,
  state: QueueState,
): Promise<boolean> {
  if (state.settings.publicPage === undefined && context.settings.publicPages)
    await context.reach.checkDue(queue);
  return hasPublicPage(context, state);
}
