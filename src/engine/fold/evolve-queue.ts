import { firstStrategy } from "../model/capacity/strategy.ts";
import type { Event, EventData } from "../model/event.ts";
import { noQueue, type QueueState } from "../model/queue.ts";
import { defaultSettings } from "../model/settings.ts";

/** A newly created queue. */
export function createdQueue(
  { queueId, repo, branch, settings, baseSha, actor }: Extract<EventData, { type: "queue_created" }>,
  { at, seq }: Pick<Event, "at" | "seq">,
): QueueState {
  // The log may be older than a setting.
  const all = { ...defaultSettings, ...settings };
  return {
    ...noQueue,
    id: queueId,
    repo,
    branch,
    deleted: false,
    settings: all,
    strategy: firstStrategy(all),
    statusReason: { code: "CONFIGURED", by: actor.name },
    statusSince: at,
    base: [{ sha: baseSha, pr: null, since: at }],
    baseSeq: seq,
  };
}

/** Applies changed settings. While entries are in the line, a new policy keeps the strategy of the previous one. */
export function configuredQueue(
  state: QueueState,
  changes: Extract<EventData, { type: "queue_configured" }>["changes"],
): QueueState {
  const { policy } = changes;
  const isNew = policy !== undefined && state.line.length === 0;
  return {
    ...state,
    settings: { ...state.settings, ...changes },
    ...(isNew ? { strategy: firstStrategy({ policy }) } : {}),
  };
}
