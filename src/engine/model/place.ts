import { isObjection } from "../reasons/objection.ts";
import type { Entry } from "./entry.ts";
import { effective, type QueueSettings } from "./settings.ts";

/**
 * Until when an entry that reviewers took out of the line keeps its place in the queue, in milliseconds since the epoch; null when
 * they did not. What was never ready keeps its place as long as it waits: it has held up nothing.
 */
export function placeKeptUntil(settings: QueueSettings, entry: Entry): number | null {
  if (entry.state !== "not_ready" || !isObjection(entry.reason)) return null;
  return entry.stateChangedAt + effective(settings, "reviewGraceMinutes") * 60_000;
}
