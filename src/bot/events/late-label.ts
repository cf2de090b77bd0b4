import type * as z from "zod";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { pullRequestPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";

/** A webhook that is handled within this time after its event is not late. */
const liveMs = 5_000;

/**
 * Whether the label of a late webhook has been removed since. The webhook of the removal may be lost, and polling does not list the pull
 * request any more if its base branch has changed.
 */
export async function wasRemovedSince(
  { clock, listLabelEvents }: Pick<BotParts, "clock" | "listLabelEvents">,
  repo: InstalledRepository,
  { label, pull_request: pull }: z.infer<typeof pullRequestPayload>,
): Promise<boolean> {
  if (clock.now() - Date.parse(pull.updated_at) <= liveMs) return false;
  const events = await listLabelEvents(repo, pull.number);
  return events.findLast((event) => event.label === label?.name)?.action === "unlabeled";
}
