import type { QueueState } from "../../engine/model/queue.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { settingsInForce } from "../runtime/settings-in-force.ts";
import { type QueueView, queueView } from "../runtime/views.ts";
import { hasPublicPage } from "./public-pages.ts";

/** Reads a queue with what the repository file and the service decide where it leaves settings open. */
export async function readQueueView(
  context: ObservationContext,
  state: QueueState,
  installationId: number,
): Promise<QueueView> {
  const file = await context.files.known({ ...state.repo, installationId }, state.branch);
  const inForce = settingsInForce(state.settings, file, context.settings.submitLabel);
  return queueView(state, { ...inForce, publicPage: hasPublicPage(context, state) }, context.forecasts);
}
