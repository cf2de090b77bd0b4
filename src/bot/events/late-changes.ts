import type * as z from "zod";
import { isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { pullRequestPayload } from "../deliveries/payload.ts";
import type { BotParts } from "../parts.ts";

/** A change that is handled within this time after it was made is not late. */
const liveMs = 5_000;

/**
 * Returns the base branch of a pull request that a label or auto-merge submits. A change that is handled late may name an earlier one, and
 * the pull request would wait in that branch's queue.
 *
 * @param base as the change names it; it has a queue
 * @param givenAt when the change was made, in milliseconds since the epoch
 */
export async function presentBase(
  { clock, baseBranchOf }: Pick<BotParts, "clock" | "baseBranchOf">,
  repo: InstalledRepository,
  pr: number,
  base: string,
  givenAt: number,
): Promise<string> {
  if (!isLate(clock, givenAt)) return base;
  return (await baseBranchOf(repo, pr)) ?? base;
}

/**
 * Whether a label that is handled late has been removed since. The webhook of the removal may be lost, and polling does not list the pull
 * request any more if its base branch has changed.
 *
 * @param givenAt when the label was put on, in milliseconds since the epoch
 */
export async function wasLabelRemovedSince(
  { clock, listLabelEvents }: Pick<BotParts, "clock" | "listLabelEvents">,
  repo: InstalledRepository,
  { label, pull_request: pull }: z.infer<typeof pullRequestPayload>,
  givenAt: number,
): Promise<boolean> {
  if (!isLate(clock, givenAt)) return false;
  const events = await listLabelEvents(repo, pull.number);
  return events.findLast((event) => isSameName(event.label, label?.name))?.action === "unlabeled";
}

/**
 * Whether auto-merge that is handled late has been disabled since, as with a label.
 *
 * @param enabledAt when it was enabled, in milliseconds since the epoch
 */
export async function wasAutoMergeDisabledSince(
  { clock, autoMergeEnabledAt }: Pick<BotParts, "clock" | "autoMergeEnabledAt">,
  repo: InstalledRepository,
  pr: number,
  enabledAt: number,
): Promise<boolean> {
  return isLate(clock, enabledAt) && (await autoMergeEnabledAt(repo, pr)) === null;
}

function isLate(clock: Clock, madeAt: number): boolean {
  return clock.now() - madeAt > liveMs;
}
