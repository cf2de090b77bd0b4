import { assertNever } from "../engine/assert-never.ts";
import type { Effect } from "../engine/model/effect.ts";
import { effectsOf } from "../engine/model/effect.ts";
import { isTerminal } from "../engine/model/entry.ts";
import type { Event } from "../engine/model/event.ts";
import type { QueueState } from "../engine/model/queue.ts";
import type { PlannedTask } from "../ports/outbox.ts";

/** How long updates wait for each other, so that a pull request's check and comment are not written twice a second. */
export interface Pace {
  /** Before a live entry's check and comment are brought up to date. */
  readonly publishMs: number;
  /** Before a pull request whose mergeability is being computed is read again. */
  readonly mergeabilityMs: number;
}

/** The tasks that a queue's events want done. */
export function planTasks(state: QueueState, events: readonly Event[], pace: Pace): PlannedTask[] {
  return events.flatMap((event) =>
    effectsOf(event.data).map((effect) => planTask(state, event, effect, pace)),
  );
}

function planTask(state: QueueState, event: Event, effect: Effect, pace: Pace): PlannedTask {
  const queueId = state.id;
  const { at } = event;
  switch (effect.type) {
    case "build_test_commit":
      return inOrder(
        { type: effect.type, queueId, runId: effect.runId, pr: effect.pr },
        `build/${queueId}`,
        at,
      );
    case "build_try":
      // A stream of its own: what is queued does not wait for it.
      return inOrder(
        { type: "build_test_commit", queueId, runId: effect.runId, pr: effect.pr },
        `build/${queueId}/try`,
        at,
      );
    case "report_try":
      // Behind the answer to the command, in whose place it is shown.
      return inOrder({ queueId, ...effect }, `try/${queueId}/${effect.pr}`, at + pace.publishMs);
    case "merge":
      return inOrder({ type: effect.type, queueId, attemptId: effect.attemptId }, `merge/${queueId}`, at);
    case "rerun_failed_checks": {
      const { runId, attempt, suites, outdated } = effect;
      const task = { type: effect.type, queueId, runId, attempt, suites, outdated } as const;
      return inOrder(task, `rerun/${runId}`, at);
    }
    case "examine_head":
      return inOrder({ type: effect.type, queueId, pr: effect.pr }, `examine/${queueId}/${effect.pr}`, at);
    case "open_test_pull_request":
      // A stream of its own: the branch is removed even if GitHub makes no pull request of it.
      return inOrder(
        { type: effect.type, queueId, runId: effect.runId, pr: effect.pr },
        `pull/${effect.runId}`,
        at,
      );
    case "cancel_workflow_runs":
      return inOrder(
        { queueId, ...effect },
        `cancel/${effect.runId}`,
        // GitHub begins a workflow run a little after the push: one that is not there yet would be missed.
        at + pace.publishMs,
      );
    case "remove_test_branch":
      return inOrder({ queueId, ...effect }, `run/${effect.runId}`, nextRound(at, pace));
    case "publish":
      return publishTask(state.repo, effect.pr, at + publishDelay(event, pace));
    case "observe_pull_request":
      return observeTask(queueId, effect.pr, at + pace.mergeabilityMs);
    default:
      return assertNever(effect);
  }
}

export function publishTask(repo: QueueState["repo"], pr: number, notBefore: number): PlannedTask {
  const stream = `publish/${repo.host}/${repo.owner}/${repo.name}/${pr}`.toLowerCase();
  return { task: { type: "publish", repo, pr }, stream, notBefore, coalesce: true };
}

export function observeTask(queueId: string, pr: number, notBefore: number): PlannedTask {
  const task = { type: "observe_pull_request", queueId, pr } as const;
  return { task, stream: `observe/${queueId}/${pr}`, notBefore, coalesce: true };
}

/** Branches are removed in rounds: what is due at the same time goes in one call. */
function nextRound(at: number, { publishMs }: Pace): number {
  const roundMs = 5 * publishMs;
  return Math.ceil(at / roundMs) * roundMs;
}

function inOrder(task: PlannedTask["task"], stream: string, at: number): PlannedTask {
  return { task, stream, notBefore: at, coalesce: false };
}

/**
 * The end of an entry does not wait. Neither does its beginning: the first comment goes in one request with the reaction to the
 * command, unless what it says is about to change. Where it stands between its tests, or before its merge, and that a freeze has
 * ended, is worth saying only if it lasts.
 */
function publishDelay({ data }: Event, pace: Pace): number {
  if (data.type === "entry_admitted")
    return data.readiness.mergeability === "in_progress" ? pace.publishMs : 0;
  if (data.type === "freeze_changed" && data.freeze === null) return interludeMs(pace);
  if (data.type !== "entry_moved") return pace.publishMs;
  if (isTerminal(data.to)) return 0;
  const isBetweenTests = data.to === "pending" && data.from !== "not_ready";
  return isBetweenTests || data.to === "tests_passed" ? interludeMs(pace) : pace.publishMs;
}

/** How long a state that mostly passes by itself has to last before it is worth a call. */
export function interludeMs({ publishMs }: Pace): number {
  return 10 * publishMs;
}
