import type { Decision } from "../../decision.ts";
import { evaluateChecks, type RequiredCheck } from "../../model/checks/required-checks.ts";
import {
  checksToPass,
  currentChecks,
  isHeldTo,
  requires,
  testLimitMs,
} from "../../model/checks/run-checks.ts";
import type { InputOf } from "../../model/input.ts";
import { allRuns, findRun, type QueueState } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";

import type { Reason } from "../../reasons/reason.ts";
import { recallMerge } from "../merging/ordered-merge.ts";
import { testAgain } from "../requeue.ts";
import { concludeChecks } from "./conclusion.ts";

type Requirements = Omit<InputOf<"requirements_observed">, "type">;

/**
 * Applies the checks that must pass now to all tests. An added check counts if it has reported on the test commit. Otherwise it is waited
 * for, and a test that had passed is running again. Steps of a merge that GitHub has been asked for continue. The tests of the other steps
 * change when the requirements are reported before the next call.
 */
export function observeRequirements(decision: Decision, { required, source }: Requirements): void {
  const { requiredStatuses } = decision.state.settings;
  // The reading is from before the queue got, or lost, a list of its own.
  if ((source === "merge_instance") !== (requiredStatuses !== null)) return;
  if (lacksProof(decision.state, required)) recallMerge(decision);
  callOff(decision, required);
  const differing = [...allRuns(decision.state)].filter(
    (run) =>
      run.state !== "building" &&
      !isHeldTo(run, demandedOf(decision.state, run, required)) &&
      !isOrdered(decision.state, run),
  );
  for (const { id } of differing) {
    // Looked up again, because a bisection ends with all of its runs.
    const run = findRun(decision.state, id);
    if (run) change(decision, run, { required: demandedOf(decision.state, run, required), source });
  }
  for (const { id: runId } of differing) {
    const run = decision.state.runs.get(runId);
    if (run) concludeChecks(decision, { type: "checks_observed", runId, checks: run.checks });
  }
}

/** Whether all tests, and an ordered merge without a test, require exactly these checks. */
export function areDemanded(state: QueueState, required: readonly RequiredCheck[]): boolean {
  for (const run of allRuns(state))
    if (run.state !== "building" && !isHeldTo(run, demandedOf(state, run, required))) return false;
  return !lacksProof(state, required);
}

/**
 * What a test has to pass. If nothing is left that must pass on test branches, it keeps what it had to pass, because checks on the heads do
 * not prove that the combination passes.
 */
function demandedOf(
  { settings }: QueueState,
  run: TestRun,
  required: readonly RequiredCheck[],
): readonly RequiredCheck[] {
  if (!required.every(({ name }) => settings.acceptFromHead.includes(name))) return required;
  return [...run.required, ...required.filter((check) => !requires(run.required, check))];
}

/** Whether a merge without a test run is ordered for a head that has not passed all of these checks. */
function lacksProof({ merge }: QueueState, required: readonly RequiredCheck[]): boolean {
  if (!merge?.direct) return false;
  const { called = 0, required: passed = [] } = merge;
  return called === 0 && required.some((check) => !requires(passed, check));
}

/** Recalls the steps of the ordered merge that have not passed what must pass now. Steps of one run are separated if one has been called. */
function callOff(decision: Decision, required: readonly RequiredCheck[]): void {
  const { state } = decision;
  const { merge } = state;
  if (!merge) return;
  const { called = 0 } = merge;
  const from = merge.steps.findIndex(({ runId }, index) => {
    const run = state.runs.get(runId ?? "");
    return (
      index >= called && run !== undefined && isInvalidated(state, run, demandedOf(state, run, required))
    );
  });
  if (from >= 0) decision.record({ type: "merge_recalled", attemptId: merge.id, from });
}

function isOrdered({ merge }: QueueState, { id }: TestRun): boolean {
  return merge?.steps.some(({ runId }) => runId === id) ?? false;
}

function change(decision: Decision, run: TestRun, { required, source }: Requirements): void {
  const { state, context } = decision;
  const namesOf = (checks: readonly RequiredCheck[]) => checks.map(({ name }) => name);
  const added = namesOf(required.filter((check) => !requires(run.required, check)));
  const removed = namesOf(run.required.filter((check) => !requires(required, check)));
  const reason: Reason = { code: "REQUIRED_CHECKS_CHANGED", added, removed, at: context.now };
  const reopens = isInvalidated(state, run, required);
  // The results of a bisection depend on the checks. In a run that has merged in part, the remaining members were never tested without the
  // others.
  const isInPart = reopens && run.members.some((pr) => !state.entries.has(pr));
  if (run.kind === "bisection" || run.bisected || isInPart) return testMembersAgain(decision, run, reason);
  const extended = Math.max(run.deadline ?? 0, context.now + testLimitMs(state));
  decision.record({
    type: "run_requirements_changed",
    runId: run.id,
    prs: run.members,
    required,
    requiredSource: source,
    added,
    removed,
    ...(reopens ? { reopens } : {}),
    deadline: reopens || added.length > 0 ? extended : run.deadline,
  });
  const next = decision.state.runs.get(run.id);
  if (reopens && next) decision.policy.runReopened(decision, next, reason);
}

function testMembersAgain(decision: Decision, { members }: TestRun, reason: Reason): void {
  for (const pr of members) {
    const entry = decision.state.entries.get(pr);
    if (entry && entry.state !== "pending") testAgain(decision, pr, reason);
    else if (entry?.bisectionId) testAgain(decision, pr, reason);
  }
}

/** Whether the verdict of an ended run does not hold for these checks. */
function isInvalidated(state: QueueState, run: TestRun, required: readonly RequiredCheck[]): boolean {
  if (run.state === "passed") {
    const isMore = required.some((check) => !requires(run.required, check));
    const toPass = checksToPass(state, { ...run, required });
    return isMore && evaluateChecks(toPass, currentChecks(run, run.checks)).verdict !== "passed";
  }
  const blamed = blamedChecks(run.failure);
  return blamed.length > 0 && blamed.every((name) => !required.some((check) => check.name === name));
}

function blamedChecks(failure: Reason | null): readonly string[] {
  if (failure?.code === "CHECKS_FAILED") return failure.checks.map(({ name }) => name);
  return failure?.code === "TESTING_TIMEOUT" ? [...failure.missing, ...failure.pending] : [];
}
