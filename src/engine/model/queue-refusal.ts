import type { RefusalCause } from "../reasons/refusal-cause.ts";
import type { MergeStop } from "./merge-attempt.ts";

/** A merge that GitHub refused for a cause outside the pull request. */
export interface QueueRefusal {
  readonly pr: number;
  readonly cause: RefusalCause;
}

type NotAllowed = Extract<MergeStop, { kind: "not_allowed" }>;

/**
 * Whether a refusal affects other pull requests, too. If its message is not recognised (`OTHER`), the cause may still be the pull request
 * itself, until a second pull request is refused in the same way.
 */
export function meetsOthers(
  last: QueueRefusal | undefined,
  pr: number,
  { cause = "OTHER" }: NotAllowed,
): boolean {
  return cause !== "OTHER" || (last?.cause === "OTHER" && last.pr !== pr);
}
