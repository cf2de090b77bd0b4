import { stand } from "../policies/beliefs/leaving.ts";
import { observePullRequest, releaseDependents } from "./admission.ts";
import { assertNever } from "../assert-never.ts";
import { moveBaseFromOutside } from "./base.ts";
import type { Decision } from "../decision.ts";
import { depend, dependsOnAny } from "../model/dependencies.ts";
import { declineDirectMerge } from "./direct-merge.ts";
import type { Entry } from "../model/entry.ts";
import { recallForbidden } from "./freeze.ts";
import { mayMerge } from "../model/may-merge.ts";
import type { Observation } from "../model/input.ts";
import { leave, sendBack, sendBackEverything, sendBackFollowers } from "./line.ts";
import type { MergeAttempt, MergedStep, MergeStep, MergeStop } from "../model/merge-attempt.ts";
import { pauseQueue } from "./pause.ts";
import { resume } from "./postponing.ts";
import { baseTip, everyAhead, isComposed, type QueueState, remainingAhead, runOf } from "../model/queue.ts";
import { meetsOthers, type QueueRefusal } from "../model/queue-refusal.ts";
import type { Reason } from "../reasons/reason.ts";
import { isMergeCalled } from "./recall-merge.ts";
import { discard } from "./run-end.ts";
import { usesBeliefs } from "../model/strategy.ts";
import type { TestRun } from "../model/test-run.ts";

/** Orders the merge of what has passed on exactly what it will stand on. */
export function startMerge(decision: Decision): void {
  const { state, context } = decision;
  const base = baseTip(state);
  if (state.merge || base === null) return;
  const mergeable = mergeableRuns(state);
  const first = mergeable.next().value;
  if (!first) return;
  const composed = isComposed(state, first);
  const runs = composed ? [first] : chain(state, first, mergeable);
  const steps = runs.flatMap((run) => stepsOf(state, run));
  decision.record({
    type: "merge_started",
    attempt: { id: context.newId(), method: first.method, base, steps, composed },
  });
}

/** What of a run has not merged yet: all of it, unless a merge stopped half-way. */
function stepsOf(state: QueueState, run: TestRun): MergeStep[] {
  const steps = run.commits.map((commit, index) => ({
    ...commit,
    runId: run.id,
    parentSha: run.commits[index - 1]?.commitSha ?? run.parentSha ?? run.base,
  }));
  return steps.filter(({ pr }) => state.entries.has(pr));
}

/**
 * The passed runs whose whole tree has merged, or merges before them. What depends on an undecided entry before it waits
 * for that even if its tests do not contain it: overtaken, that one would have to be tested again.
 */
function* mergeableRuns(state: QueueState): Generator<TestRun, undefined> {
  const runs = new Set<TestRun>();
  const merging = new Set<number>();
  const undecided: Entry[] = [];
  for (const { entry, run } of state.line.standings) {
    const isMergeable =
      run !== null &&
      entry.state === "tests_passed" &&
      everyMember(state, run, (member) => mayMerge(state, member)) &&
      (runs.has(run) || everyAhead(state, run, (other) => merging.has(other))) &&
      !runDependsOnAny(state, run, undecided);
    if (!isMergeable) {
      // What is tested once more is in nobody's way.
      if (entry.doubtedAt === undefined) undecided.push(entry);
      continue;
    }
    merging.add(entry.pr);
    if (runs.has(run)) continue;
    runs.add(run);
    yield run;
  }
}

/** A batch merges as a whole, or waits as a whole. */
function runDependsOnAny(state: QueueState, run: TestRun, others: readonly Entry[]): boolean {
  return !everyMember(state, run, (member) => !dependsOnAny(state, member, others));
}

/** Whether a test holds for all members that have not merged yet. */
function everyMember({ entries }: QueueState, run: TestRun, test: (entry: Entry) => boolean): boolean {
  return run.members.flatMap((pr) => entries.get(pr) ?? []).every(test);
}

/** The first run and what stands on it directly: with merge commits the base moves to the last one's commit. */
function chain(state: QueueState, first: TestRun, others: Iterable<TestRun>): TestRun[] {
  const runs = [first];
  const before = new Set(first.members.filter((pr) => state.entries.has(pr)));
  for (const run of others) {
    const previous = runs.at(-1);
    if (!previous || isComposed(state, run) || !continues(previous, run)) break;
    const ahead = remainingAhead(state, run) ?? [];
    if (ahead.length !== before.size || !ahead.every((pr) => before.has(pr))) break;
    runs.push(run);
    for (const pr of run.members) before.add(pr);
  }
  return runs;
}

function continues(previous: TestRun, run: TestRun): boolean {
  if (previous.method !== run.method) return false;
  return run.method !== "merge_commit" || previous.commits.at(-1)?.commitSha === run.parentSha;
}

/** GitHub may be asked for as much of the merge as the state says afterwards that it is. */
export function callMerge(
  decision: Decision,
  { attemptId, steps }: Extract<Observation, { type: "merge_calling" }>,
): void {
  const { merge } = decision.state;
  if (merge?.id !== attemptId || steps > merge.steps.length || steps <= (merge.called ?? 0)) return;
  resume(decision, "merge");
  decision.record({ type: "merge_called", attemptId, steps });
}

/** The next process asks for the result by this id. */
export function noteRequest(
  decision: Decision,
  { attemptId, pr, id }: Extract<Observation, { type: "merge_requested" }>,
): void {
  const { merge } = decision.state;
  if (merge?.id !== attemptId || !isMergeCalled(decision.state, pr) || merge.request?.id === id) return;
  decision.record({ type: "merge_requested", attemptId, pr, id });
}

/** GitHub did not do it, so that it can be called off again. */
export function takeBackCall(
  decision: Decision,
  { attemptId, steps }: Extract<Observation, { type: "merge_not_done" }>,
): void {
  const { merge } = decision.state;
  if (merge?.id !== attemptId || steps >= (merge.called ?? 0)) return;
  decision.record({ type: "merge_not_done", attemptId, steps });
  // The queue may have been paused meanwhile, or frozen.
  recallForbidden(decision);
}

export function concludeMerge(
  decision: Decision,
  { attemptId, outcome }: Extract<Observation, { type: "merge_concluded" }>,
): void {
  const attempt = decision.state.merge;
  if (attempt?.id !== attemptId) return;
  resume(decision, "merge");
  const { lastRefusal } = decision.state;
  decision.record({ type: "merge_ended", attemptId, outcome });
  for (const step of outcome.merged) finish(decision, attempt, step, mergedReason(decision, attempt, step));
  const next = attempt.steps[outcome.merged.length];
  if (!outcome.stop || !next) return;
  if (attempt.direct) declineDirectMerge(decision, next.pr, "OVERTAKEN");
  // What merged before it in the same attempt shows that the last refusal is over.
  stop(decision, attempt, next, outcome.stop, outcome.merged.length > 0 ? undefined : lastRefusal);
}

function stop(
  decision: Decision,
  attempt: MergeAttempt,
  step: MergeStep,
  why: MergeStop,
  lastRefusal: QueueRefusal | undefined,
): void {
  switch (why.kind) {
    case "base_moved":
      return moveBaseFromOutside(decision, why.actual);
    case "withdrawn":
      return observePullRequest(decision, why.pullRequest);
    case "head_changed":
      return fail(decision, step.pr, { code: "HEAD_CHANGED" });
    case "composition_conflict":
      return testAgain(decision, step.pr, { code: "BASE_MOVED", sha: baseTip(decision.state) ?? "" });
    case "refused":
      return fail(decision, step.pr, refusedMerge(why));
    case "not_allowed":
      if (meetsOthers(lastRefusal, step.pr, why))
        return pauseQueue(decision, notAllowed(decision, why, lastRefusal));
      return fail(decision, step.pr, refusedMerge(why));
    case "tree_mismatch":
      finish(decision, attempt, { pr: step.pr, sha: why.mismatch.sha }, why.mismatch);
      sendBackEverything(decision, { code: "BASE_MOVED", sha: why.mismatch.sha });
      return pauseQueue(decision, why.mismatch);
    default:
      return assertNever(why);
  }
}

function mergedReason(decision: Decision, attempt: MergeAttempt, { pr, sha, proof }: MergedStep): Reason {
  if (attempt.direct) return { code: "DIRECT_MERGED", sha, proof: "head" };
  if (usesBeliefs(decision.state)) return mergedByCertificate(decision, attempt, { pr, sha, proof });
  const run = runOf(decision.state, decision.entry(pr));
  if (run?.vouchedBy) {
    const spared = sparedIn(decision.state.runs.get(run.vouchedBy));
    return { code: "MERGED_IN_ORDER", sha, proof: "successor", verifiedBy: run.vouchedBy, ...spared };
  }
  const isStep = run?.members.at(-1) !== pr && proof !== "composed";
  return { code: "MERGED_IN_ORDER", sha, proof: isStep ? "batch" : proof, ...sparedIn(run) };
}

/** The tests of a run that failed and did not count. */
function sparedIn(run: TestRun | null | undefined) {
  return {
    ...(run?.forgiven ? { forgiven: run.forgiven } : {}),
    ...(run?.retried && run.retried.tests.length > 0 ? { retried: run.retried.tests } : {}),
    ...(run?.retried?.newTests ? { retriedNew: run.retried.newTests } : {}),
  };
}

function mergedByCertificate(
  { state }: Decision,
  { steps }: MergeAttempt,
  { pr, sha, proof }: Pick<MergedStep, "pr" | "sha" | "proof">,
): Reason {
  const verifiedBy = steps.find((step) => step.pr === pr)?.runId ?? "";
  const run = state.runs.get(verifiedBy);
  const members = run?.members ?? [];
  const isStep = members.at(-1) !== pr && proof !== "composed";
  const how = members.includes(pr) ? (isStep ? "batch" : proof) : "successor";
  return { code: "MERGED_IN_ORDER", sha, proof: how, verifiedBy, ...sparedIn(run) };
}

function finish(
  decision: Decision,
  attempt: MergeAttempt,
  merged: Pick<MergedStep, "pr" | "sha">,
  reason: Reason,
): void {
  const entry = decision.entry(merged.pr);
  const run = runOf(decision.state, entry);
  decision.record({ type: "base_moved", sha: merged.sha, pr: merged.pr, since: attempt.startedAt });
  decision.move(entry, "merged", reason);
  releaseDependents(decision, entry.pr);
  if (usesBeliefs(decision.state)) return stand(decision, { code: "OVERTAKEN", pr: merged.pr });
  sendBackStrangers(decision, entry, merged.sha);
  const last = run?.members.every((pr) => !decision.state.entries.has(pr));
  if (run && last) discard(decision, run, reason);
}

/** What depends on a merge but was tested without it is tested again. */
function sendBackStrangers(decision: Decision, merged: Entry, sha: string): void {
  for (const { entry, run } of decision.state.line.standings) {
    if (run?.ahead.includes(merged.pr) || run?.members.includes(merged.pr)) continue;
    if (entry.doubtedAt !== undefined) continue;
    // Looked up afresh: what stands on another stranger has gone with that.
    if (!decision.state.line.includes(entry.pr) || !depend(decision.state, entry, merged)) continue;
    testAgain(decision, entry.pr, { code: "BASE_MOVED", sha });
  }
}

function testAgain(decision: Decision, pr: number, reason: Reason): void {
  sendBack(decision, decision.entry(pr), reason);
  sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
}

function fail(decision: Decision, pr: number, reason: Reason): void {
  leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
}

type Refused = Extract<MergeStop, { kind: "refused" | "not_allowed" }>;

function refusedMerge({ message, cause }: Refused): Reason {
  return { code: "MERGE_REFUSED", message, ...(cause === undefined ? {} : { cause }) };
}

function notAllowed({ state }: Decision, why: Refused, last: QueueRefusal | undefined): Reason {
  const { message, cause } = why;
  const left = last && !state.entries.has(last.pr) ? { left: last.pr } : {};
  return { code: "MERGING_NOT_ALLOWED", message, ...(cause === undefined ? {} : { cause }), ...left };
}
