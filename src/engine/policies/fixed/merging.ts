import type { Decision } from "../../decision.ts";
import { testAgain } from "../../lifecycle/requeue.ts";
import { discard } from "../../lifecycle/testing/run-end.ts";
import type { Entry } from "../../model/entry.ts";
import type { MergeAttempt, MergedStep, MergeStep } from "../../model/merge-attempt.ts";
import {
  depend,
  dependsOnAny,
  everyAhead,
  halfMergedRun,
  isComposed,
  mayMerge,
  remainingAhead,
} from "../../model/order/dependencies.ts";
import { baseTip, type QueueState, runOf } from "../../model/queue.ts";
import { sparedIn, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";

/** Orders the merge of the first runs that can merge: they passed on exactly what merges before them. */
export function startMerge(decision: Decision): void {
  const { state, context } = decision;
  const base = baseTip(state);
  if (state.merge || base === null) return;
  const mergeable = inMergeOrder(state);
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

/** Returns the steps of a run that have not merged yet: all of them, unless a merge stopped half-way. */
function stepsOf(state: QueueState, run: TestRun): MergeStep[] {
  const steps = run.commits.map((commit, index) => ({
    ...commit,
    runId: run.id,
    parentSha: run.commits[index - 1]?.commitSha ?? run.parentSha ?? run.base,
  }));
  return steps.filter(({ pr }) => state.entries.has(pr));
}

/** Returns the runs that can merge. The rest of a run that has merged in part comes first, because only the whole run was tested. */
function inMergeOrder(state: QueueState): Iterator<TestRun, undefined> & Iterable<TestRun> {
  const begun = halfMergedRun(state);
  if (!begun) return mergeableRuns(state);
  const rank = (run: TestRun) => (run === begun ? 0 : 1);
  return [...mergeableRuns(state)].sort((a, b) => rank(a) - rank(b)).values();
}

/**
 * Yields the passed runs whose entries ahead have merged, or merge before them. A run also waits for an undecided entry before it that it
 * depends on, even if its tests do not contain that entry: otherwise the entry would have to be tested again after the merge.
 */
function* mergeableRuns(state: QueueState): Generator<TestRun, undefined> {
  const runs = new Set<TestRun>();
  const merging = new Set<number>();
  const undecided: Entry[] = [];
  for (const { entry, run } of state.line.entries) {
    const isMergeable =
      run !== null &&
      entry.state === "tests_passed" &&
      everyMember(state, run, (member) => mayMerge(state, member)) &&
      (runs.has(run) || everyAhead(state, run, (other) => merging.has(other))) &&
      !runDependsOnAny(state, run, undecided);
    if (!isMergeable) {
      // An entry that is tested once more after a failure does not block others.
      if (entry.doubted === undefined) undecided.push(entry);
      continue;
    }
    merging.add(entry.pr);
    if (runs.has(run)) continue;
    runs.add(run);
    yield run;
  }
}

/** Whether any member depends on these entries. A batch merges as a whole, or waits as a whole. */
function runDependsOnAny(state: QueueState, run: TestRun, others: readonly Entry[]): boolean {
  return !everyMember(state, run, (member) => !dependsOnAny(state, member, others));
}

/** Whether a predicate holds for all members that have not merged yet. */
function everyMember({ entries }: QueueState, run: TestRun, test: (entry: Entry) => boolean): boolean {
  return run.members.flatMap((pr) => entries.get(pr) ?? []).every(test);
}

/** Returns the first run and those that continue it. With merge commits, each must be built on the last commit of the one before. */
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

/** Returns the proof of a merge: the run of the entry, or the run of a successor that proved it. */
export function mergeProof(
  decision: Decision,
  _attempt: MergeAttempt,
  { pr, sha, proof }: MergedStep,
): Reason {
  const run = runOf(decision.state, decision.entry(pr));
  if (run?.vouchedBy) {
    const spared = sparedIn(decision.state.runs.get(run.vouchedBy));
    return { code: "MERGED_IN_ORDER", sha, proof: "successor", verifiedBy: run.vouchedBy, ...spared };
  }
  const isStep = run?.members.at(-1) !== pr && proof !== "composed";
  return { code: "MERGED_IN_ORDER", sha, proof: isStep ? "batch" : proof, ...sparedIn(run) };
}

/** Requeues the entries that depend on a merge but were tested without it. A run ends with its last member. */
export function finishMerged(
  decision: Decision,
  merged: Entry,
  run: TestRun | null,
  sha: string,
  reason: Reason,
): void {
  sendBackStrangers(decision, merged, sha);
  const isLast = run?.members.every((pr) => !decision.state.entries.has(pr));
  if (run && isLast) discard(decision, run, reason);
}

/** Tests again the entries that depend on a merged one but were tested without it. */
function sendBackStrangers(decision: Decision, merged: Entry, sha: string): void {
  for (const { entry, run } of decision.state.line.entries) {
    if (run?.ahead.includes(merged.pr) || run?.members.includes(merged.pr)) continue;
    if (entry.doubted !== undefined) continue;
    // Looks the entry up again, because an earlier round of this loop may have requeued it.
    if (!decision.state.line.includes(entry.pr) || !depend(decision.state, entry, merged)) continue;
    testAgain(decision, entry.pr, { code: "BASE_MOVED", sha });
  }
}
