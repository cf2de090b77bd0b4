import { assertNever } from "./assert-never.ts";
import { doubtFailure, moveEntry, offTheLine, update, withEntry, withoutEntry } from "./fold/entry-index.ts";
import { configuredQueue, createdQueue, evolveMerge, refusalAfter } from "./fold/evolve-queue.ts";
import {
  afterBaseTestEvent,
  afterTryEvent,
  begunRun,
  checkMemoryAfter,
  isBaseTestEvent,
  isTryEvent,
  type RunEvent,
  runAfter,
  withChangedRun,
} from "./fold/evolve-run.ts";

import { learn } from "./fold/learn.ts";
import { endOfTest, passesBeforeFailure } from "./fold/learn-series.ts";
import { withoutRun, withRun } from "./fold/run-index.ts";
import { type Entry, isTerminal } from "./model/entry.ts";
import type { Event, EventOf } from "./model/event.ts";
import { noQueue, type QueueState, requireEntry, requireRun, runOf } from "./model/queue.ts";
import { lullAfter } from "./model/stall.ts";
import { isActive, type StartedRun } from "./model/test-run.ts";

import { foldOf, switchesPolicy, withoutEvidence } from "./policies/fold-of.ts";

/** Returns the state after an event. Pure: the same events give the same state on any machine. @throws if the event is out of sequence */
export function evolve(state: QueueState, event: Event): QueueState {
  const next = apply(event.seq === state.seq + 1 ? state : outOfSequence(state, event), event);
  const learned = learn(state, next, event);
  const checkMemory = checkMemoryAfter(state.checkMemory, event.data);
  const lastRefusal = refusalAfter(state.lastRefusal, event.data);
  const lull = lullAfter(state, next, event);
  return { ...afterPolicy(state, learned, event), checkMemory, lastRefusal, lull, seq: event.seq };
}

function afterPolicy(before: QueueState, after: QueueState, event: Event): QueueState {
  if (switchesPolicy(before, after, event.data)) return withoutEvidence(after);
  return foldOf(after).learn(before, after, event);
}

export function fold(events: Iterable<Event>, from: QueueState = noQueue): QueueState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}

/**
 * Returns the entry that an event is about, as it is after the event; null if it is about none. Also works for an event that ends the
 * entry, which the state after the event does not contain.
 */
export function entryAfter(before: QueueState, after: QueueState, event: Event): Entry | null {
  if (!("pr" in event.data) || event.data.pr === null) return null;
  const entry = after.entries.get(event.data.pr);
  if (entry || event.data.type !== "entry_moved") return entry ?? null;
  const ended = before.entries.get(event.data.pr);
  return ended ? moveEntry(ended, event.data, event.at) : null;
}

function apply(state: QueueState, event: Event): QueueState {
  const { data, at, seq } = event;
  if (isTryEvent(data)) return afterTryEvent(state, data, at);
  if (isBaseTestEvent(data)) return afterBaseTestEvent(state, data, at);
  switch (data.type) {
    case "queue_created":
      return createdQueue(data, { at, seq });
    case "queue_configured":
      return configuredQueue(state, data.changes);
    case "strategy_chosen":
      return { ...state, strategy: data.strategy };
    case "queue_status_changed":
      return {
        ...state,
        status: data.to,
        statusReason: data.reason,
        statusSince: at,
        next: data.next ?? null,
        resumes: data.resumes ?? null,
      };
    case "freeze_changed":
      return { ...state, freeze: data.freeze };
    case "stall_changed":
      return { ...state, stall: data.stall };
    case "queue_moved":
      return movedTo(state, data);
    case "queue_deleted":
      return { ...state, deleted: true };
    case "entry_admitted":
      return withEntry(state, admitted(data, event));
    case "entry_revised":
      return update(state, data.pr, {
        priority: data.priority,
        noBatch: data.noBatch,
        ...(data.message ? { message: data.message } : {}),
      });
    case "entry_aged":
      return update(state, data.pr, { aged: true });
    case "entry_observed":
      return update(state, data.pr, {
        title: data.title,
        readiness: data.readiness,
        ...(data.updatedAt === undefined ? {} : { updatedAt: data.updatedAt }),
        ...(data.headSha === undefined ? {} : { headSha: data.headSha, targets: null, targetsSeq: null }),
        ...(data.baseBranch === undefined ? {} : { baseBranch: data.baseBranch }),
      });
    case "entry_targeted":
      return update(state, data.pr, { targets: data.targets, targetsSeq: seq });
    case "entry_moved": {
      const entry = moveEntry(requireEntry(state, data.pr), data, at);
      if (isTerminal(entry.state)) return withoutEntry(state, entry.pr);
      const next = withEntry(state, entry);
      if (entry.state === "not_ready") return offTheLine(next, entry.pr);
      // The run of the entry does not decide about it any more.
      return data.to === "pending" ? foldOf(state).entryRequeued(next, entry) : next;
    }
    case "direct_merge_considered":
      return update(state, data.pr, { directOnto: data.base });
    case "direct_merge_declined":
      return update(state, data.pr, { directOnto: undefined });
    case "entry_held":
      return update(state, data.pr, {
        heldBehind: data.behind,
        reason: { code: "CONFLICT_WITH_AHEAD", prs: data.behind },
      });
    case "entry_released":
      return update(state, data.pr, { heldBehind: [] });
    case "entry_delayed":
      return update(state, data.pr, {
        // An entry that another run tests still waits for that run.
        ...(requireEntry(state, data.pr).state === "pending"
          ? { retryAt: data.retryAt, reason: data.reason }
          : {}),
        attempts: data.attempts,
        ...(data.brokenRuns === undefined ? {} : { brokenRuns: data.brokenRuns }),
        ...(data.cancelledRuns === undefined ? {} : { cancelledRuns: data.cancelledRuns }),
      });
    case "failure_doubted":
      return doubtFailure(state, data.pr, at);
    case "entry_due":
      return update(state, data.pr, { retryAt: null });
    case "run_started":
      return startRun(state, data.run, at);
    case "run_built":
    case "run_checked":
    case "run_missing_checks":
    case "run_retried":
    case "run_retry_refused":
    case "run_forgiven":
    case "run_concluded":
      return updateRun(state, data, at);
    case "run_requirements_changed":
      return withChangedRun(state, data, at);
    case "run_discarded":
      return discardRun(state, data.runId);
    case "entry_certified":
      return takePlaceIn(state, data.pr, data.runId);
    case "bisection_started":
    case "bisection_narrowed":
    case "bisection_ended":
    case "entries_considered":
    case "entry_suspected":
    case "entry_widened":
    case "evidence_dropped":
    case "entries_isolated":
    case "entry_incriminated":
    case "block_formed":
    case "block_failed":
    case "block_dissolved":
      return state;
    case "base_moved":
      return {
        ...state,
        base: trimmed([...state.base, { sha: data.sha, pr: data.pr, since: data.since }], state),
        baseSeq: seq,
      };
    case "merge_started":
    case "merge_called":
    case "merge_requested":
    case "merge_not_done":
    case "merge_recalled":
      return { ...state, merge: evolveMerge(state, data, at) };
    case "work_postponed":
      return { ...state, waits: { ...state.waits, [data.work]: data.wait } };
    case "work_resumed": {
      const { [data.work]: _over, ...waits } = state.waits;
      return { ...state, waits };
    }
    case "merge_ended":
      return { ...state, merge: null };
    default:
      return assertNever(data);
  }
}

/** Moves the queue to another repository or branch name. Pull requests into a renamed branch have its new name as their base. */
function movedTo(state: QueueState, { repo, branch }: EventOf<"queue_moved">): QueueState {
  const moved = { ...state, repo, branch };
  const into = [...state.entries.values()].filter(({ baseBranch }) => baseBranch === state.branch);
  return into.reduce((next, { pr }) => update(next, pr, { baseBranch: branch }), moved);
}

function admitted(data: EventOf<"entry_admitted">, { at, seq }: Event): Entry {
  const { type: _type, entryId, actor, via, ...rest } = data;
  return {
    ...rest,
    id: entryId,
    state: "not_ready",
    stateChangedAt: at,
    admittedBy: actor,
    admittedVia: via,
    submittedAt: at,
    targetsSeq: data.targets === null ? null : seq,
    runId: null,
    bisectionId: null,
    heldBehind: [],
    retryAt: null,
    attempts: 0,
  };
}

function startRun(state: QueueState, run: StartedRun, at: number): QueueState {
  const { main, bisection } = state.runIndex.active;
  const next = withRun(state, { ...begunRun(run, at), atOnce: main + bisection + 1 });
  if (run.bisectionId !== null) return next;
  return run.members.reduce<QueueState>(
    (rest, pr) => (keepsItsRun(rest, run, pr) ? rest : takePlaceIn(rest, pr, run.id)),
    next,
  );
}

/** Whether an entry keeps its run when another one starts. A passed entry merges as tested, and a hedge does not replace another run. */
function keepsItsRun(state: QueueState, { hedge, block }: StartedRun, pr: number): boolean {
  const entry = requireEntry(state, pr);
  const run = runOf(state, entry);
  const decides = hedge === undefined && !(block && run && isActive(run));
  return entry.runId !== null && (!decides || entry.state === "tests_passed");
}

/** Assigns an entry to a run, and adds it to the line if it is not in it. */
function takePlaceIn(state: QueueState, pr: number, runId: string): QueueState {
  const next = update(state, pr, { runId });
  if (state.entries.get(pr)?.runId !== null) return next;
  const entry = requireEntry(next, pr);
  return { ...next, line: next.line.appended([{ entry, run: runOf(next, entry) }]) };
}

function discardRun(state: QueueState, runId: string): QueueState {
  const run = state.runs.get(runId);
  if (!run) return state;
  return foldOf(state).runDiscarded(withoutRun(state, run), run);
}

function updateRun(state: QueueState, data: RunEvent, at: number): QueueState {
  const run = runAfter(requireRun(state, data.runId), data, at);
  if (data.type !== "run_concluded") return withRun(state, run);
  const { history } = state;
  const passesBefore = passesBeforeFailure(history, endOfTest(run, data, at));
  const isBaseRed = data.verdict === "failed" && history.baseFinding?.verdict === "failed";
  return withRun(state, { ...run, passesBefore, ...(isBaseRed ? { whileBaseFailed: true } : {}) });
}

/** Drops base steps older than the base of any run, but keeps the last 50, to recognise late observations. */
function trimmed(base: QueueState["base"], state: QueueState): QueueState["base"] {
  const bases = new Set([...state.runs.values()].map((run) => run.base));
  const oldest = base.findIndex((step) => bases.has(step.sha));
  return base.slice(Math.min(oldest < 0 ? base.length : oldest, Math.max(0, base.length - 50)));
}

function outOfSequence(state: QueueState, event: Event): never {
  throw new Error(`queue ${state.id} is at event ${state.seq} and cannot take event ${event.seq}`);
}
