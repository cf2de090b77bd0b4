import type { Decision } from "../../decision.ts";
import { leave } from "../../lifecycle/requeue.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import type { Entry } from "../../model/entry.ts";
import type { MergeAttempt, MergedStep } from "../../model/merge-attempt.ts";
import { isBeingMerged, remainingAhead } from "../../model/order/dependencies.ts";
import { requireRun, runOf } from "../../model/queue.ts";
import { isActive, sparedIn, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { dissolve, dissolveBehind, dissolveBlocksWith } from "../blocks/block-end.ts";
import { blockOf } from "../blocks/blocks.ts";
import { beliefLayoutOf, modelOf } from "./belief-layout.ts";
import type { BeliefModel } from "./belief-model.ts";
import { beliefsOf } from "./belief-state.ts";

/** A passing run proves entries. Which ones depends on how the policy arranges them. */
export function concludePass(decision: Decision, run: TestRun): void {
  const isBaseRed = decision.state.history.baseFinding?.verdict === "failed";
  decision.record({
    type: "run_concluded",
    runId: run.id,
    verdict: "passed",
    reason: { code: "TESTS_PASSED" },
  });
  if (isBaseRed) realignEntries(decision, { code: "RETESTED" });
  beliefLayoutOf(decision).runPassed(decision, run);
}

/** A failing run is evidence against its whole tree. Further tests find the culprit. */
export function concludeFailure(decision: Decision, run: TestRun, reason: Reason): void {
  decision.record({ type: "run_concluded", runId: run.id, verdict: "failed", reason });
  for (const pr of run.members) realignEntry(decision, pr, { code: "RETESTED" });
}

/** Takes back the verdict of a run that runs again. Entries in its tree that passed or failed by this verdict alone wait again. */
export function takeBackVerdict(decision: Decision, run: TestRun, reason: Reason): void {
  for (const pr of [...run.ahead, ...run.members]) {
    const { state } = decision;
    const entry = state.entries.get(pr);
    const evidence = beliefsOf(state).tracks.get(pr);
    if (!entry || isBeingMerged(state, pr)) continue;
    const isBare =
      (entry.state === "tests_passed" && evidence?.certificates.length === 0) ||
      (entry.state === "pending_failure" && evidence?.reds.length === 0);
    if (!isBare) continue;
    if (entry.runId === run.id && run.members.includes(pr)) {
      decision.move(entry, "testing", reason);
      continue;
    }
    decision.move(entry, "pending", reason);
    const next = decision.entry(pr);
    if (runOf(decision.state, next)?.state === "running")
      decision.move(next, "testing", { code: "TESTS_STARTED" });
  }
}

/** Returns the proof of a merge: a run whose member the entry is, or the run of a successor. */
export function mergeProof(
  { state }: Decision,
  { steps }: MergeAttempt,
  { pr, sha, proof }: Pick<MergedStep, "pr" | "sha" | "proof">,
): Reason {
  const verifiedBy = steps.find((step) => step.pr === pr)?.runId;
  if (!verifiedBy) throw new Error(`the merge of #${pr} was ordered without a test run`);
  const run = requireRun(state, verifiedBy);
  const isStep = run.members.at(-1) !== pr && proof !== "composed";
  const how = run.members.includes(pr) ? (isStep ? "batch" : proof) : "successor";
  return { code: "MERGED_IN_ORDER", sha, proof: how, verifiedBy, ...sparedIn(run) };
}

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
  const evidence = beliefsOf(state).tracks.get(pr);
  if (!entry || !evidence || isBeingMerged(state, pr)) return;
  beliefLayoutOf(decision).align(decision, entry, evidence, because);
}

/** Returns the members of a run without a usable certificate or another active run. Empty for hedges, because no entry depends on them. */
function waitingOnlyFor(model: BeliefModel, run: TestRun): readonly number[] {
  if (run.hedge) return [];
  return run.members.filter((pr) => {
    const evidence = model.evidence(pr);
    if (!evidence || model.isCertified(evidence)) return false;
    return model.ownRuns(pr).every(({ id }) => id === run.id);
  });
}

/** Returns the entries that wait for a run. All members of a block do, because giving up any run of the block dissolves it. */
export function waitingFor(model: BeliefModel, run: TestRun): readonly number[] {
  return run.block ? run.members.filter((pr) => !isBeingMerged(model.state, pr)) : waitingOnlyFor(model, run);
}

/** Evicts the entries that wait for a run. */
export function failRun(decision: Decision, run: TestRun, reason: Reason): void {
  const members = waitingFor(modelOf(decision), run);
  abandonRun(decision, run, { code: "RETESTED" });
  for (const pr of members) waitAgain(decision, pr, { code: "RETESTED" });
  for (const pr of members)
    leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
}

/**
 * Whether a failed build decides about a member. On the bare base it does, because other builds of the member would fail, too, unless a
 * test of the member is running.
 */
function isDecidedBy(decision: Decision, run: TestRun, pr: number): boolean {
  const isBet = (run.hedge?.against ?? null) !== null;
  const isOnBase = !isBet && run.members[0] === pr && remainingAhead(decision.state, run)?.length === 0;
  const model = modelOf(decision);
  const evidence = model.evidence(pr);
  if (isOnBase && evidence && decision.entry(pr).state !== "testing") return !model.isCertified(evidence);
  return waitingOnlyFor(model, run).includes(pr);
}

/** Gives up a run without a verdict. For a hedge, the reason `SLOT_NEEDED` prevents new hedges for a while. */
export function abandonRun(decision: Decision, run: TestRun, reason: Reason): void {
  const keepsPlace = reason.code === "REQUIRED_CHECKS_CHANGED";
  if (run.block && keepsPlace) dissolveBehind(decision, run.members[0]);
  if (run.block) return dissolveBlocksWith(decision, run.members, reason);
  const waiting = waitingOnlyFor(modelOf(decision), run);
  discard(decision, run, run.hedge ? { code: "SLOT_NEEDED" } : reason);
  const proved = waiting.filter((pr) => decision.entry(pr).state === "tests_passed");
  // Their certificates are not for the tree that they would merge onto.
  if (proved.length > 0) decision.record({ type: "evidence_dropped", prs: proved, inPlace: true });
  const because: Reason = keepsPlace ? reason : { code: "RETESTED" };
  for (const pr of run.members) realignEntry(decision, pr, because);
  for (const pr of waiting) waitAgain(decision, pr, reason);
}

/**
 * Decides about the entries that conflict in a test commit. On the bare base, they are evicted. Otherwise the conflict may come from
 * missing dependencies of the direct dependencies: then the next test is built on the transitive dependencies. If that conflicts, too, or
 * in `single` mode, the entry is held until the entries ahead are decided.
 */
export function widenOrHold(decision: Decision, run: TestRun, culprit: number, reason: Reason): void {
  const ahead = run.ahead.filter((pr) => decision.state.entries.has(pr));
  const index = run.members.indexOf(culprit);
  const held = index < 0 ? run.members : [culprit];
  const behind = index < 0 ? ahead : [...ahead, ...run.members.slice(0, index)];
  const waiting = held.filter(
    (pr) => run.members.includes(pr) && (run.block || isDecidedBy(decision, run, pr)),
  );
  const because: Reason = { code: "CONFLICT_WITH_AHEAD", prs: behind };
  const { holdsOnConflict } = beliefLayoutOf(decision);
  abandonRun(decision, run, because);
  for (const pr of waiting) {
    if (behind.length === 0) {
      leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
    } else if (holdsOnConflict(beliefsOf(decision.state).tracks.get(pr))) {
      decision.record({ type: "entry_held", pr, behind });
    } else decision.record({ type: "entry_widened", pr });
  }
}
