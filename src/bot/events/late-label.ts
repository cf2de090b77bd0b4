import type * as z from "zod";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { pullRequestPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";

/** A label that is handled within this time after it was put on is not late. */
const liveMs = 5_000;

/**
 * Whether a label that is handled late has been removed since. The webhook of the removal may be lost, and polling does not list the pull
 * request any more if its base branch has changed.
 *
 * @param givenAt when the label was put on, in milliseconds since the epoch
 */
export async function wasRemovedSince(
  { clock, listLabelEvents }: Pick<BotParts, "clock" | "listLabelEvents">,
  repo: InstalledRepository,
  { label, pull_request: pull }: z.infer<typeof pullRequestPayload>,
  givenAt: number,
): Promise<boolean> {
  if (clock.now() - givenAt <= liveMs) return false;
  const events = await listLabelEvents(repo, pull.number);
  return events.findLast((event) => event.label === label?.name)?.action === "unlabeled";
}
