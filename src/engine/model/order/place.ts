import { isObjection } from "../../reasons/objection.ts";
import type { Entry } from "../entry.ts";
import { type QueueSettings, settingInUse } from "../settings.ts";

/**
 * The time until which an entry that left the line because of an objection or a rebase keeps its place in the queue, in milliseconds since the
 * epoch; null = it did not leave for this reason. An entry that was never ready keeps its place as long as it waits, because it has
 * not delayed others.
 */
export function placeKeptUntil(settings: QueueSettings, entry: Entry): number | null {
  const mayKeep = isObjection(entry.reason) || entry.reason.code === "REBASED";
  if (entry.state !== "not_ready" || !mayKeep) return null;
  return entry.stateChangedAt + settingInUse(settings, "reviewGraceMinutes") * 60_000;
}
