import { assertNever } from "../assert-never.ts";
import type { Event, EventData, EventOf } from "../model/event.ts";
import type { MergeAttempt, QueueRefusal } from "../model/merge-attempt.ts";
import { noQueue, type QueueState } from "../model/queue.ts";
import { defaultSettings, firstStrategy } from "../model/settings.ts";
import { scopeOf } from "../reasons/refusal-cause.ts";

export function createdQueue(
  { queueId, repo, branch, settings, baseSha, actor }: EventOf<"queue_created">,
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
  changes: EventOf<"queue_configured">["changes"],
): QueueState {
  const { policy } = changes;
  const isNew = policy !== undefined && state.line.length === 0;
  return {
    ...state,
    settings: { ...state.settings, ...changes },
    ...(isNew ? { strategy: firstStrategy({ policy }) } : {}),
  };
}

type MergeEvent = EventOf<
  "merge_started" | "merge_called" | "merge_requested" | "merge_not_done" | "merge_recalled"
>;

/** The merge attempt after an event about it; null if no attempt is left. */
export function evolveMerge(
  { merge, settings }: Pick<QueueState, "merge" | "settings">,
  data: MergeEvent,
  at: number,
): MergeAttempt | null {
  // The attempt keeps this value, even if the setting changes meanwhile.
  const by = settings.mergeBy === "async_api" ? { by: settings.mergeBy } : {};
  if (data.type === "merge_started") return { ...data.attempt, ...by, startedAt: at };
  if (!merge) return null;
  switch (data.type) {
    case "merge_called":
      return { ...merge, called: data.steps, everCalled: Math.max(data.steps, merge.everCalled ?? 0) };
    case "merge_requested":
      return { ...merge, request: { pr: data.pr, id: data.id } };
    case "merge_not_done": {
      const { request: _over, ...rest } = merge;
      return { ...rest, called: data.steps };
    }
    case "merge_recalled": {
      const steps = merge.steps.slice(0, data.from);
      return steps.length > 0 ? { ...merge, steps } : null;
    }
    default:
      return assertNever(data);
  }
}

/** The last refusal after an event. A merge, or the build of another test commit, shows that it does not affect all pull requests. */
export function refusalAfter(last: QueueRefusal | undefined, data: EventData): QueueRefusal | undefined {
  if (data.type === "merge_ended") return data.outcome.merged.length > 0 ? undefined : last;
  if (data.type === "run_built") return last?.ofBuild ? undefined : last;
  if (data.type !== "entry_moved" || data.reason.code !== "MERGE_REFUSED") return last;
  const { cause = "OTHER", ofBuild } = data.reason;
  if (scopeOf(cause) !== "unclear") return last;
  return { pr: data.pr, cause, ...(ofBuild ? { ofBuild } : {}) };
}
