import { entryAfter, evolve } from "../../engine/evolve.ts";
import { type ExplainedStall, explainStall, explainStallEnd } from "../../engine/explain/explain.ts";
import type { ExplainCode } from "../../engine/explain/explain-link.ts";
import type { Entry, EntryState } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import { type QueueState, type RepositoryRef, runOf } from "../../engine/model/queue.ts";
import { isActive, type TestRun, testedSha } from "../../engine/model/test-run.ts";
import type { Reason, ReasonCode } from "../../engine/reasons/reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { inSentences, timeOf } from "../../engine/reasons/sentence.ts";
import type { WebhookMessage } from "../../ports/webhooks/webhook-message.ts";
import type { PageUrl } from "./directory.ts";

/**
 * The published action for an entry's new state. `tests_passed` and `not_ready` are internal and not
 * published.
 */
const actions: Readonly<Partial<Record<EntryState, PullRequestAction>>> = {
  pending: "queued",
  testing: "testing",
  pending_failure: "pending_failure",
  failed: "failed",
  cancelled: "canceled",
  merged: "merged",
};

/**
 * The messages for a queue's events, in order. There is at most one per event, and its id is derived from the
 * event's.
 */
export function planMessages(
  before: QueueState,
  events: readonly Event[],
  pageUrl: PageUrl,
): WebhookMessage[] {
  const messages: WebhookMessage[] = [];
  let state = before;
  // A merge ends a stall at once, so that both are among the same events.
  let merged: number | null = null;
  for (const event of events) {
    const next = evolve(state, event);
    const message =
      event.data.type === "stall_changed"
        ? aboutStall(state, next, event, merged, pageUrl)
        : messageOf(state, next, event, pageUrl);
    if (message) messages.push(message);
    if (event.data.type === "base_moved") merged = event.data.pr ?? merged;
    if (event.data.type === "stall_changed") merged = null;
    state = next;
  }
  return messages;
}

function messageOf(
  before: QueueState,
  after: QueueState,
  event: Event,
  pageUrl: PageUrl,
): WebhookMessage | null {
  const { data } = event;
  const batch = (runId: string, action: BatchAction, reason: Reason) => {
    const run = after.runs.get(runId) ?? before.runs.get(runId);
    return run && isBatch(run) ? aboutBatch(after, event, run, action, reason, pageUrl) : null;
  };
  switch (data.type) {
    case "entry_admitted":
    case "entry_moved": {
      const entry = entryAfter(before, after, event);
      const action = data.type === "entry_admitted" ? "submitted" : actions[data.to];
      // An ended entry has left its run, so its run is found in the state before.
      const decidedBy = before.entries.get(data.pr) ?? entry;
      if (!entry || !action || !decidedBy) return null;
      const run = runOf(after, entry) ?? runOf(before, decidedBy);
      return aboutPullRequest(after, event, { entry, run, decidedBy, action, reason: data.reason }, pageUrl);
    }
    case "run_built":
      return batch(data.runId, "testing", { code: "TESTS_STARTED" });
    case "run_concluded":
      return batch(data.runId, data.verdict, data.reason);
    case "run_discarded": {
      const run = before.runs.get(data.runId);
      return run && isActive(run) ? batch(data.runId, "canceled", data.reason) : null;
    }
    case "bisection_started":
      return batch(data.runId, "bisecting", data.failure);
    default:
      return null;
  }
}

/**
 * Several pull requests that are tested together, or a part of a batch that is tested to find the culprit.
 */
function isBatch(run: TestRun): boolean {
  return run.members.length > 1 || run.kind === "bisection";
}

interface Telling {
  readonly entry: Entry;
  readonly decidedBy: Entry;
  readonly run: TestRun | null;
  readonly action: PullRequestAction;
  readonly reason: Reason;
}

function aboutPullRequest(
  state: QueueState,
  event: Event,
  { entry, decidedBy, run, action, reason }: Telling,
  pageUrl: PageUrl,
): WebhookMessage {
  const { pr, author, url } = entry;
  const payload: PullRequestPayload = {
    ...{ type: `pull_request.${action}`, action, status: action, pr_number: pr, author },
    ...place(state, event, pageUrl(state, pr) ?? url),
    ...tested(run),
    is_bisection: run?.kind === "bisection" || run?.bisected !== undefined || decidedBy.bisectionId !== null,
    [reasonKeys[action]]: reason.code,
    reason_text: renderReason(reason),
  };
  return message(state, event, `pr/${state.id}/${pr}`, payload);
}

function aboutBatch(
  state: QueueState,
  event: Event,
  run: TestRun,
  action: BatchAction,
  reason: Reason,
  pageUrl: PageUrl,
): WebhookMessage {
  const url = state.entries.get(run.members[0])?.url ?? "";
  const payload: BatchPayload = {
    ...{ type: `pull_request_batch.${action}`, action, status: action },
    ...{ pr_numbers: run.members, test_run_id: run.id },
    ...place(state, event, pageUrl(state) ?? url),
    ...tested(run),
    is_bisection: run.kind === "bisection",
    batch_reason: reason.code,
    reason_text: renderReason(reason),
  };
  return message(state, event, `run/${run.id}`, payload);
}

function aboutStall(
  before: QueueState,
  state: QueueState,
  event: Event,
  merged: number | null,
  pageUrl: PageUrl,
): WebhookMessage | null {
  const stalled = explainStall(state, event.at);
  const pr = stalled?.pr ?? before.stall?.pr;
  if (pr === undefined) return null;
  const action: QueueAction = stalled ? "stalled" : "recovered";
  const entry = state.entries.get(pr);
  const payload: StallPayload = {
    ...{ type: `queue.${action}`, action, status: action, pr_number: pr },
    ...place(state, event, pageUrl(state) ?? entry?.url ?? ""),
    ...tested(entry ? runOf(state, entry) : null),
    is_bisection: false,
    stall_reason: stalled?.cause.code ?? null,
    reason_text: stalled ? stallText(stalled) : explainStallEnd(state, merged),
  };
  return message(state, event, `queue/${state.id}`, payload);
}

function stallText({ since, pr, cause }: ExplainedStall): string {
  const first = `#${pr} is the first in the queue`;
  return inSentences(`nothing has merged since ${timeOf(since)}`, first, cause.text);
}

function place({ repo, branch }: QueueState, { at }: Event, url: string) {
  const { host, owner, name } = repo;
  return {
    repository: { host, owner, name },
    target_branch: branch,
    timestamp: new Date(at).toISOString(),
    http_details_url: url,
  };
}

function tested(run: TestRun | null) {
  return { test_branch: run?.branch ?? null, test_branch_sha: run && testedSha(run) };
}

function message(
  state: QueueState,
  { seq, at }: Event,
  stream: string,
  payload: PullRequestPayload | BatchPayload | StallPayload,
): WebhookMessage {
  return { id: `msg_${state.id}_${seq}`, type: payload.type, stream, at, payload: JSON.stringify(payload) };
}

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
  /** The page of the pull request, or else of the queue, on this service if it has a public address; otherwise the pull request at the code host. */
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
  /** The pull request that is the first in the queue; at the end of a stall, the one that was first when the stall was noticed. */
  readonly pr_number: number;
  /** Why it does not merge; null after a stall. */
  readonly stall_reason: ExplainCode | null;
};
