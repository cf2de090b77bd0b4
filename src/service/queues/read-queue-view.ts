import type { QueueState } from "../../engine/model/queue.ts";
import { settingsInForce } from "../runtime/settings-in-force.ts";
import { type QueueView, queueView } from "../runtime/views.ts";
import type { MergeQueueParts } from "./merge-queues.ts";
import { hasPublicPage } from "./public-pages.ts";

type Parts = Pick<MergeQueueParts, "files" | "submitLabel" | "forecasts" | "publicPages" | "reach">;

/** Reads a queue with what the repository file and the service decide where it leaves settings open. */
export async function readQueueView(
  parts: Parts,
  state: QueueState,
  installationId: number,
): Promise<QueueView> {
  const file = await parts.files.known({ ...state.repo, installationId }, state.branch);
  const inForce = settingsInForce(state.settings, file, parts.submitLabel);
  return queueView(state, { ...inForce, publicPage: hasPublicPage(parts, state) }, parts.forecasts);
}
