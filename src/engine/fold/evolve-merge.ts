import { assertNever } from "../assert-never.ts";
import type { EventData } from "../model/event.ts";
import type { MergeAttempt, MergeOutcome, QueueRefusal } from "../model/merge-attempt.ts";
import type { QueueState } from "../model/queue.ts";

type MergeEvent = Extract<
  EventData,
  { type: "merge_started" | "merge_called" | "merge_requested" | "merge_not_done" | "merge_recalled" }
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

/** The last refusal for a cause outside the pull request, after a merge attempt. A merge shows that the cause is gone. */
export function refusalAfter(
  { merge, lastRefusal }: Pick<QueueState, "merge" | "lastRefusal">,
  { merged, stop }: MergeOutcome,
): QueueRefusal | undefined {
  const step = merge?.steps[merged.length];
  if (stop?.kind === "not_allowed" && step) return { pr: step.pr, cause: stop.cause ?? "OTHER" };
  return merged.length > 0 ? undefined : lastRefusal;
}
