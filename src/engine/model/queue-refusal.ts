import type { RefusalCause } from "../reasons/refusal-cause.ts";
import type { MergeStop } from "./merge-attempt.ts";

/** A merge that GitHub refused for what is not about the pull request. */
export interface QueueRefusal {
  readonly pr: number;
  readonly cause: RefusalCause;
}

type NotAllowed = Extract<MergeStop, { kind: "not_allowed" }>;

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
