import type { Decision } from "../decision.ts";
import { type Actor, renderActor, theQueue } from "../model/actor.ts";
import type { InputOf, QueueChanges } from "../model/input.ts";
import { isObstructed, merges, type QueueState } from "../model/queue.ts";
import { type QueueSettings, strategyFor } from "../model/settings.ts";

import type { Reason } from "../reasons/reason.ts";
import { recallMerge } from "./merging/ordered-merge.ts";
import { sendBackEverything } from "./requeue.ts";
import { admitIfReady } from "./submission/readiness.ts";

export function createQueue(decision: Decision, command: InputOf<"create_queue">): void {
  if (!decision.state.deleted) return decision.refuse({ code: "QUEUE_EXISTS", branch: command.branch });
  const { type: _type, status = "running", ...created } = command;
  decision.record({ type: "queue_created", ...created });
  if (status === "running") return;
  decision.record({ type: "queue_status_changed", to: status, reason: configuredBy(command.actor) });
}

export function deleteQueue(decision: Decision, command: InputOf<"delete_queue">): void {
  const { entries, tries } = decision.state;
  if (entries.size + tries.size > 0) {
    const prs = [...entries.keys(), ...tries.keys()];
    return decision.refuse({ code: "QUEUE_NOT_EMPTY", prs });
  }
  decision.record({ type: "queue_deleted", actor: command.actor });
}

/** Changes settings and status. A new mode or policy waits until the line is empty. */
export function configure(decision: Decision, command: InputOf<"configure">): void {
  const { status, mode, policy, ...rest } = command.changes;
  const { state } = decision;
  if (state.status === "switching_modes") return configureSwitching(decision, command);
  const newMode = mode === undefined || mode === state.settings.mode ? null : mode;
  const newPolicy = policy === undefined || policy === state.settings.policy ? null : policy;
  const settings = {
    ...state.settings,
    ...changed(state.settings, rest),
    ...(newPolicy && { policy: newPolicy }),
  };
  const isNewStrategy = newPolicy !== null && strategyFor(settings) !== state.strategy;
  const waits = (newMode !== null || isNewStrategy) && state.line.length > 0;
  const changes = {
    ...changed(state.settings, rest),
    ...(newMode === null || waits ? {} : { mode: newMode }),
    ...(newPolicy === null || waits ? {} : { policy: newPolicy }),
  };
  if (Object.keys(changes).length > 0) {
    decision.record({ type: "queue_configured", changes, actor: command.actor });
  }
  if ("mode" in changes) admitAllReady(decision);
  const reason = configuredBy(command.actor);
  if (waits) {
    const next = {
      mode: newMode ?? state.settings.mode,
      ...(newPolicy === null ? {} : { policy: newPolicy }),
      status: status ?? state.status,
    };
    decision.record({
      type: "queue_status_changed",
      to: "switching_modes",
      reason,
      next,
      ...(status === undefined ? obstacleOf(state) : {}),
    });
  } else if (
    status !== undefined &&
    (status !== state.status || isObstructed(state) || givesNewNote(state.statusReason, reason))
  ) {
    decision.record({ type: "queue_status_changed", to: status, reason });
  }
  if (!merges(decision.state)) recallMerge(decision);
}

/** The fields that a change of settings leaves as they are: the obstacle that stops the queue, and the status after it. */
function obstacleOf({ statusReason, resumes }: QueueState) {
  return resumes === null ? {} : { reason: statusReason, resumes };
}

/**
 * Whether a person only changes the note about a status that a person has set before. Other reasons, such as an untested tree, are kept.
 */
function givesNewNote(before: Reason, now: Reason): boolean {
  if (before.code !== "CONFIGURED" || now.code !== "CONFIGURED") return false;
  return now.note !== undefined && now.note !== before.note;
}

/** While modes are switched, only the status after the switch can change. `paused` takes effect at once: the queue merges nothing. */
function configureSwitching(decision: Decision, { changes, actor }: InputOf<"configure">): void {
  const { status, ...others } = changes;
  const { state } = decision;
  if (status === undefined || Object.keys(others).length > 0 || state.next === null)
    return decision.refuse({ code: "SWITCHING_MODES" });
  if (status === state.next.status && !isObstructed(state)) return;
  const next = { ...state.next, status };
  decision.record({
    type: "queue_status_changed",
    to: "switching_modes",
    reason: configuredBy(actor),
    next,
  });
  if (!merges(decision.state)) recallMerge(decision);
}

function configuredBy(actor: Actor): Reason {
  const note = actor.reason === undefined ? {} : { note: actor.reason };
  return { code: "CONFIGURED", by: renderActor(actor), ...note };
}

/**
 * Starts the new mode once no entry is in test or waits to merge. Pending entries stay. Entries that passed in a paused queue merge once
 * the queue is resumed. Failures and bisections that need another test would wait for ever, so they are requeued.
 */
export function finishSwitching(decision: Decision): void {
  const { status, next, merge, statusReason, resumes } = decision.state;
  const { active } = decision.state.runIndex;
  if (status !== "switching_modes" || next === null || merge) return;
  const again = { code: "RESTARTED", by: theQueue.name } as const;
  if (next.status === "paused" && waitsToMerge(decision.state)) return;
  decision.policy.prepareSwitch(decision, again);
  if (next.status === "paused" && active.main + active.bisection === 0) sendBackEverything(decision, again);
  if (decision.state.line.length > 0) return;
  decision.record({
    type: "queue_configured",
    changes: { mode: next.mode, ...(next.policy ? { policy: next.policy } : {}) },
    actor: theQueue,
  });
  const resuming = resumes === null ? {} : { resumes };
  decision.record({ type: "queue_status_changed", to: next.status, reason: statusReason, ...resuming });
  admitAllReady(decision);
}

function waitsToMerge({ line, entries }: QueueState): boolean {
  return [...line].some((pr) => entries.get(pr)?.state === "tests_passed");
}

/** Admits the entries that are ready in the new mode: one that only waited for its targets may not need them any more. */
function admitAllReady(decision: Decision): void {
  for (const pr of decision.state.unready.values()) admitIfReady(decision, pr);
}

function changed(settings: QueueSettings, changes: Omit<QueueChanges, "status">): Partial<QueueSettings> {
  const differs = ([key, value]: [string, unknown]) =>
    JSON.stringify(settings[key as keyof QueueSettings]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(changes).filter(differs));
}

/** Changes the strategy if the settings require another one, and no test or merge of the current one is in progress. */
export function chooseStrategy(decision: Decision): void {
  const { state } = decision;
  const strategy = strategyFor(state.settings);
  const isIdle = state.line.length + state.runs.size === 0 && state.merge === null;
  if (strategy !== state.strategy && isIdle) decision.record({ type: "strategy_chosen", strategy });
}
