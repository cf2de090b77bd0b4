import type { Decision } from "../../decision.ts";
import { discard } from "../../lifecycle/testing/run-end.ts";
import type { Entry } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/dependencies.ts";
import { runOf } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";
import { realignEntries, realignEntry } from "../beliefs/verdicts.ts";
import { laneModelOf } from "./lane-model.ts";

/** A passing run certifies its members and, with `canOptimisticallyMerge`, each entry ahead whose dependencies are all in the tree. */
export function certifyTree(decision: Decision, run: TestRun): void {
  const model = laneModelOf(decision.state);
  const tree = new Set([...run.ahead, ...run.members]);
  const covered = decision.state.settings.canOptimisticallyMerge ? [...tree] : run.members;
  for (const pr of covered) {
    const evidence = model.evidence(pr);
    if (!evidence || evidence.stale.includes(run.id)) continue;
    const isMember = run.members.includes(pr);
    if (!isMember && !model.ahead(evidence).every((other) => tree.has(other.pr))) continue;
    certify(decision, pr, run, isMember);
  }
  for (const pr of tree) realignEntry(decision, pr, { code: "RETESTED" });
}

function certify(decision: Decision, pr: number, run: TestRun, isMember: boolean): void {
  const entry = decision.entry(pr);
  decision.record({ type: "entry_certified", pr, runId: run.id });
  if (entry.state === "tests_passed") return;
  const isTested = isMember && entry.state === "testing";
  const reason: Reason = isTested
    ? { code: "TESTS_PASSED" }
    : { code: "SUCCESSOR_PASSED", pr: run.members[0] };
  decision.move(decision.entry(pr), "tests_passed", reason);
}

/** Updates the state of an entry to match its certificates, its failures and its runs. */
export function alignInLane(
  decision: Decision,
  entry: Entry,
  evidence: EntryEvidence,
  because: Reason,
): void {
  const { state } = decision;
  const run = runOf(state, entry);
  if (entry.state === "tests_passed") {
    if (evidence.certificates.length === 0) release(decision, entry, because);
    return;
  }
  if (entry.state !== "testing" && entry.state !== "pending_failure") return;
  if (run && isActive(run)) return;
  if (!run?.failure || evidence.reds.length === 0) return release(decision, entry, because);
  if (entry.state === "testing") {
    if (hasRunUnderWay(decision, entry.pr)) return;
    decision.move(entry, "pending_failure", run.failure);
  }
}

/** Moves an entry back to `pending`, or to `testing` if another run of it is in progress. */
function release(decision: Decision, entry: Entry, because: Reason): void {
  // Only an entry that had passed counts as overtaken.
  const isLate = because.code === "OVERTAKEN" && entry.state !== "tests_passed";
  decision.move(entry, "pending", isLate ? { code: "RETESTED" } : because);
  const next = decision.entry(entry.pr);
  if (runOf(decision.state, next)?.state === "running")
    decision.move(next, "testing", { code: "TESTS_STARTED" });
}

function hasRunUnderWay({ state }: Decision, pr: number): boolean {
  for (const run of state.runs.values()) if (isActive(run) && run.members.includes(pr)) return true;
  return false;
}

/** Discards active runs that can prove nothing new, and ended runs whose verdicts are no longer needed. */
export function cull(decision: Decision, model: BeliefModel): void {
  const useless = [...model.state.runs.values()].filter((run) =>
    isActive(run) ? !tellsSomething(model, run) : !isKept(model, run),
  );
  if (useless.length === 0) return;
  for (const run of useless) discard(decision, run, { code: "VERDICT_KNOWN" });
  realignEntries(decision, { code: "RETESTED" });
}

function tellsSomething(model: BeliefModel, run: TestRun): boolean {
  return run.members.some((pr) => {
    const evidence = model.evidence(pr);
    if (!evidence || evidence.stale.includes(run.id) || isBeingMerged(model.state, pr)) return false;
    if (evidence.certificates.length === 0) return true;
    return run.hedge ? isOpen(model, evidence) : !model.isCertified(evidence);
  });
}

/** Whether a dependency of an entry is still undecided. */
export function isOpen(model: BeliefModel, evidence: EntryEvidence): boolean {
  return model.ahead(evidence).some(({ certificates }) => certificates.length === 0);
}

/** Whether an ended run is kept: its commits may be merged, or it is the run that an entry shows. */
function isKept(model: BeliefModel, run: TestRun): boolean {
  return [...run.ahead, ...run.members].some((pr) => {
    const entry = model.state.entries.get(pr);
    if (!entry) return false;
    if (isBeingMerged(model.state, pr)) return entry.runId === run.id || mergesBy(model, run);
    if (entry.runId === run.id && entry.state !== "pending") return true;
    return model.evidence(pr)?.certificates.some(({ runId }) => runId === run.id) ?? false;
  });
}

function mergesBy(model: BeliefModel, run: TestRun): boolean {
  return model.state.merge?.steps.some((step) => step.runId === run.id) ?? false;
}
