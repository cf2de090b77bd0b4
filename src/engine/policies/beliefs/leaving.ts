import type { Decision } from "../../decision.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import type { Entry } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/may-merge.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { dissolve, dissolveBehind, dissolveBlocksWith } from "../blocks/block-end.ts";
import { blockOf } from "../blocks/blocks.ts";
import { arrangementOf, modelOf } from "./arrangement.ts";
import { beliefsOf } from "./belief-state.ts";

/** Ends an entry that does not merge in its turn, or takes it out until it is ready again. Discards every run whose tree contains it. */
export function entryLeaves(
  decision: Decision,
  entry: Entry,
  to: "failed" | "cancelled" | "merged" | "not_ready",
  reason: Reason,
  othersBecause: Reason,
): void {
  const block = blockOf(decision.state, entry.pr);
  if (block) dissolve(decision, block, othersBecause, entry.pr);
  if (to === "failed") suspend(decision, decision.entry(entry.pr), reason);
  decision.move(decision.entry(entry.pr), to, reason);
  for (const run of runsWith(decision, [entry.pr])) discard(decision, run, reason);
  realignEntries(decision, othersBecause);
}

/** Requeues an entry without its evidence. Discards the runs that test it and, if it loses its place, all runs that contain it. */
export function requeue(decision: Decision, entry: Entry, reason: Reason): void {
  const losesPlace = reason.code === "INTERRUPTED_BY_URGENT" || reason.code === "TARGETS_CHANGED";
  const runs = runsWith(decision, [entry.pr]).filter(
    ({ members }) => losesPlace || members.includes(entry.pr),
  );
  if (reason.code === "RESTARTED") dissolveBehind(decision, entry.pr);
  dissolveBlocksWith(decision, [entry.pr], reason);
  forget(decision, [entry.pr], reason, !losesPlace);
  for (const { id } of runs) {
    const run = decision.state.runs.get(id);
    if (run) discard(decision, run, reason);
  }
  realignEntries(decision, { code: "AHEAD_RESTARTED", pr: entry.pr });
}

/** Requeues every entry except those that are being merged, because the base has changed. */
export function requeueAll(decision: Decision, reason: Reason): void {
  const { state } = decision;
  const prs = [...beliefsOf(state).tracks.values()].map(({ pr }) => pr);
  dissolveBlocksWith(decision, prs, reason);
  forget(decision, prs, reason, true);
  for (const run of decision.state.runs.values()) {
    const isMerging = [...run.ahead, ...run.members].some((pr) => isBeingMerged(state, pr));
    if (!isMerging || isActive(run)) discard(decision, run, reason);
  }
  realignEntries(decision, reason);
}

/** Requeues the whole line once no run is in progress, because only another test could empty it. */
export function prepareSwitch(decision: Decision, reason: Reason): void {
  const { runs, line } = decision.state;
  if (line.length > 0 && ![...runs.values()].some(isActive)) requeueAll(decision, reason);
}

function forget(decision: Decision, prs: readonly number[], reason: Reason, inPlace: boolean): void {
  const free = prs.filter(
    (pr) => beliefsOf(decision.state).tracks.has(pr) && !isBeingMerged(decision.state, pr),
  );
  if (free.length > 0) decision.record({ type: "evidence_dropped", prs: free, inPlace });
  for (const pr of free) waitAgain(decision, pr, reason);
}

/** Moves an entry to `pending_failure` before it is evicted, if it is not there yet, as when it failed in the tests of other entries. */
export function suspend(decision: Decision, entry: Entry, reason: Reason): void {
  if (entry.state === "pending_failure") return;
  if (reason.code === "CHECKS_FAILED" || reason.code === "TESTING_TIMEOUT") {
    decision.move(entry, "pending_failure", reason);
  }
}

function runsWith({ state }: Decision, prs: readonly number[]): TestRun[] {
  const merging = state.merge?.steps.map(({ runId }) => runId) ?? [];
  return [...state.runs.values()].filter(
    (run) =>
      !merging.includes(run.id) && prs.some((pr) => run.members.includes(pr) || run.ahead.includes(pr)),
  );
}

/** Updates the state of every started entry to match its evidence and its runs. */
export function realignEntries(decision: Decision, because: Reason): void {
  for (const { pr } of modelOf(decision).started) realignEntry(decision, pr, because);
}

/** Updates the state of an entry to match its evidence and its runs. */
export function realignEntry(decision: Decision, pr: number, because: Reason): void {
  const { state } = decision;
  const entry = state.entries.get(pr);
  const track = beliefsOf(state).tracks.get(pr);
  if (!entry || !track || isBeingMerged(state, pr)) return;
  arrangementOf(decision).align(decision, entry, track, because);
}
