import { assertNever } from "../../engine/assert-never.ts";
import { type Effect, effectsOf } from "../../engine/model/effect.ts";
import { isTerminal } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { PlannedTask } from "../../store/leased/outbox.ts";

/**
 * How long updates are collected, so that a pull request's check and comment are not written several times a
 * second.
 */
export interface Pace {
  /** The delay before a live entry's check and comment are updated. */
  readonly publishMs: number;
  /** The delay before a pull request whose mergeability is being computed is read again. */
  readonly mergeabilityMs: number;
}

/** The maximum number of pull requests on which a change of the whole queue is shown. */
export const maxShown = 200;

export function planTasks(state: QueueState, events: readonly Event[], pace: Pace): PlannedTask[] {
  return events.flatMap((event) => [
    ...effectsOf(event.data).map((effect) => planTask(state, event, effect, pace)),
    ...resumedEntries(state, event).map((pr) => publishTask(state.repo, pr, event.at + pace.publishMs)),
  ]);
}

/**
 * The entries whose comments may say that the queue is paused. Comments are not updated when a queue is paused, because so many updates
 * would delay the answers to commands.
 */
function resumedEntries({ entries }: QueueState, { data }: Event): readonly number[] {
  const runsAgain = data.type === "queue_status_changed" && data.to === "running";
  return runsAgain ? [...entries.keys()].slice(0, maxShown) : [];
}

function planTask(state: QueueState, event: Event, effect: Effect, pace: Pace): PlannedTask {
  const queueId = state.id;
  const { at } = event;
  switch (effect.type) {
    case "build_test_commit":
      return inOrder({ queueId, ...effect }, `build/${queueId}`, at);
    case "build_try":
    case "build_base_test":
      // A separate stream, so that queue entries do not wait for it.
      return inOrder({ queueId, ...effect, type: "build_test_commit" }, `build/${queueId}/try`, at);
    case "report_try":
      // Delayed until after the answer to the command, because it replaces that answer.
      return inOrder({ queueId, ...effect }, `try/${queueId}/${effect.pr}`, at + pace.publishMs);
    case "merge":
      return inOrder({ queueId, ...effect }, `merge/${queueId}`, at);
    case "rerun_failed_checks":
      return inOrder({ queueId, ...effect }, `rerun/${effect.runId}`, at);
    case "examine_head":
      return inOrder({ queueId, ...effect }, `examine/${queueId}/${effect.pr}`, at);
    case "open_test_pull_request":
      // A separate stream: the branch is removed even if GitHub creates no pull request for it.
      return inOrder({ queueId, ...effect }, `pull/${effect.runId}`, at);
    case "cancel_workflow_runs":
      // GitHub creates a workflow run a little after the push. Without the delay, a run that does not exist yet would be missed.
      return inOrder({ queueId, ...effect }, `cancel/${effect.runId}`, at + pace.publishMs);
    case "remove_test_branch":
      return inOrder({ queueId, ...effect }, `run/${effect.runId}`, nextRound(at, pace));
    case "remove_scratch_branches":
      return inOrder({ queueId, ...effect }, `build/${queueId}`, at);
    case "publish":
      return publishTask(state.repo, effect.pr, at + publishDelay(event, pace));
    case "observe_pull_request":
      return observeTask(queueId, effect.pr, at + pace.mergeabilityMs);
    default:
      return assertNever(effect);
  }
}

/** The common beginning of the streams of everything that is published in a repository. */
export function publishStreams({ host, owner, name }: QueueState["repo"]): string {
  return nameKey(`publish/${host}/${owner}/${name}/`);
}

export function publishTask(repo: QueueState["repo"], pr: number, notBefore: number): PlannedTask {
  const stream = `${publishStreams(repo)}${pr}`;
  return { task: { type: "publish", repo, pr }, stream, notBefore, coalesce: true };
}

export function observeTask(queueId: string, pr: number, notBefore: number): PlannedTask {
  const task = { type: "observe_pull_request", queueId, pr } as const;
  return { task, stream: `observe/${queueId}/${pr}`, notBefore, coalesce: true };
}

/** Branches are removed in rounds, so that removals due at the same time go in one call. */
function nextRound(at: number, { publishMs }: Pace): number {
  const roundMs = 5 * publishMs;
  return Math.ceil(at / roundMs) * roundMs;
}

function inOrder(task: PlannedTask["task"], stream: string, at: number): PlannedTask {
  return { task, stream, notBefore: at, coalesce: false };
}

/**
 * The end of an entry is published without delay. So is its beginning, unless the text is about to change: the first comment and the
 * reaction to the command then go in one request. A state between tests or before the merge, and the end of a freeze or a stall, are
 * published only if they last.
 */
function publishDelay({ data }: Event, pace: Pace): number {
  if (data.type === "entry_admitted")
    return data.readiness.mergeability === "in_progress" ? untilKnownMs(pace) : 0;
  if (data.type === "freeze_changed" && data.freeze === null) return interludeMs(pace);
  if (data.type === "stall_changed" && data.stall === null) return interludeMs(pace);
  if (data.type !== "entry_moved") return pace.publishMs;
  if (isTerminal(data.to)) return 0;
  const isBetweenTests = data.to === "pending" && data.from !== "not_ready";
  return isBetweenTests || data.to === "tests_passed" ? interludeMs(pace) : pace.publishMs;
}

/**
 * How long the first comment waits for the mergeability, which is read again meanwhile. The wait is short, because people wait for an
 * answer.
 */
function untilKnownMs({ publishMs, mergeabilityMs }: Pace): number {
  return Math.min(publishMs, 1.5 * mergeabilityMs);
}

/** How long a state that usually passes by itself must last before it is worth a call. */
export function interludeMs({ publishMs }: Pace): number {
  return 10 * publishMs;
}
