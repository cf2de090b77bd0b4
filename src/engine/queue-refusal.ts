import type { MergeOutcome, MergeStop } from "./merge-attempt.ts";
import type { QueueState } from "./queue.ts";
import type { RefusalCause } from "./refusal-cause.ts";

/** A merge that GitHub refused for what is not about the pull request. */
export interface QueueRefusal {
  readonly pr: number;
  readonly cause: RefusalCause;
}

type NotAllowed = Extract<MergeStop, { kind: "not_allowed" }>;

/** The last refusal of that kind, after a merge attempt. What merges shows that it is over. */
export function refusalAfter(
  { merge, lastRefusal }: Pick<QueueState, "merge" | "lastRefusal">,
  { merged, stop }: MergeOutcome,
): QueueRefusal | undefined {
  const step = merge?.steps[merged.length];
  if (stop?.kind === "not_allowed" && step) return { pr: step.pr, cause: stop.cause ?? "OTHER" };
  return merged.length > 0 ? undefined : lastRefusal;
}

/**
 * Whether a refusal would meet other pull requests, too. One in words that are not known may be about the pull request after all, until
 * another one meets it.
 */
export function meetsOthers(
  last: QueueRefusal | undefined,
  pr: number,
  { cause = "OTHER" }: NotAllowed,
): boolean {
  return cause !== "OTHER" || (last?.cause === "OTHER" && last.pr !== pr);
}
