import type { ExplainCode } from "../../engine/explain/explain-link.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { ReasonCode } from "../../engine/reasons/reason.ts";

/** The common fields of every payload about a queue. The payload is flat, and every key is always present. */
interface QueuePayload<Kind extends string, Action extends string> {
  readonly type: `${Kind}.${Action}`;
  readonly action: Action;
  /** Equal to the action. */
  readonly status: Action;
  readonly repository: RepositoryRef;
  readonly target_branch: string;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ` */
  readonly timestamp: string;
  /** The queue's page if the service has a public address, else the pull request's. */
  readonly http_details_url: string;
  /** The branch that CI tests and its commit; null when there is none. */
  readonly test_branch: string | null;
  readonly test_branch_sha: string | null;
  readonly is_bisection: boolean;
  /** The reason as a sentence. Its code is in a field that depends on the action: `failure_reason`, … */
  readonly reason_text: string;
}

export type PullRequestAction =
  | "submitted"
  | "queued"
  | "testing"
  | "pending_failure"
  | "failed"
  | "canceled"
  | "merged";

/** The field that contains the reason code, by action. */
export const reasonKeys = {
  submitted: "submitted_reason",
  queued: "queued_reason",
  testing: "testing_reason",
  pending_failure: "failure_reason",
  failed: "failure_reason",
  canceled: "cancellation_reason",
  merged: "merged_reason",
} as const satisfies Record<PullRequestAction, string>;

export type PullRequestPayload = QueuePayload<"pull_request", PullRequestAction> & {
  readonly pr_number: number;
  readonly author: string;
} & { readonly [Key in (typeof reasonKeys)[PullRequestAction]]?: ReasonCode };

export type BatchAction = "testing" | "passed" | "failed" | "bisecting" | "canceled";

export type BatchPayload = QueuePayload<"pull_request_batch", BatchAction> & {
  readonly pr_numbers: readonly number[];
  readonly test_run_id: string;
  readonly batch_reason: ReasonCode;
};

export type QueueAction = "stalled" | "recovered";

export type StallPayload = QueuePayload<"queue", QueueAction> & {
  /** The pull request that is the first in the queue; after a stall, the one that was when it was noticed. */
  readonly pr_number: number;
  /** Why it does not merge; null after a stall. */
  readonly stall_reason: ExplainCode | null;
};
