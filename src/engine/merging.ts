import { moveBaseFromOutside } from "./base.ts";
import type { Decision } from "./decision.ts";
import type { Observation } from "./input.ts";
import { discard, leave, sendBackEverything } from "./line.ts";
import type { MergeAttempt, MergedStep, MergeStep, MergeStop } from "./merge-attempt.ts";
import { baseTip, merges, type QueueState, remainingAhead, runOf } from "./queue.ts";
import { assertNever, type Reason } from "./reason.ts";
import type { TestRun } from "./test-run.ts";

/** Orders the merge of everything at the front of the line that has passed on exactly what it will stand on. */
export function startMerge(decision: Decision): void {
  const { state, context } = decision;
  const base = baseTip(state);
  if (state.merge || base === null || !merges(state)) return;
  const runs = mergeableRuns(state);
  const [first] = runs;
  if (!first) return;
  const steps = runs.flatMap((run) => run.commits.map((commit): MergeStep => ({ ...commit, runId: run.id })));
  decision.record({
    type: "merge_started",
    attempt: { id: context.newId(), method: first.method, base, steps },
  });
}

/** The passed runs at the front of the line, each standing on the base plus the ones before it. */
function mergeableRuns(state: QueueState): TestRun[] {
  const runs: TestRun[] = [];
  const merging = new Set<number>();
  for (const pr of state.line) {
    const entry = state.entries.get(pr);
    const run = entry && runOf(state, entry);
    if (!run || entry.state !== "tests_passed") break;
    if (runs.at(-1) === run) continue;
    const ahead = remainingAhead(state, run);
    if (!ahead?.every((other) => merging.has(other)) || !continues(runs.at(-1), run)) break;
    runs.push(run);
    for (const member of run.members) merging.add(member);
  }
  return runs;
}

/** With merge commits the base moves to the last run's commit, so that must stand on the one before it. */
function continues(previous: TestRun | undefined, run: TestRun): boolean {
  if (!previous) return true;
  if (previous.method !== run.method) return false;
  return run.method !== "merge_commit" || previous.commits.at(-1)?.commitSha === run.parentSha;
}

export function concludeMerge(
  decision: Decision,
  { attemptId, outcome }: Extract<Observation, { type: "merge_concluded" }>,
): void {
  const attempt = decision.state.merge;
  if (attempt?.id !== attemptId) return;
  decision.record({ type: "merge_ended", attemptId, outcome });
  for (const step of outcome.merged) {
    finish(decision, attempt, step, { code: "MERGED_IN_ORDER", sha: step.sha, proof: step.proof });
  }
  const next = attempt.steps[outcome.merged.length];
  if (outcome.stop && next) stop(decision, attempt, next, outcome.stop);
}

function stop(decision: Decision, attempt: MergeAttempt, step: MergeStep, why: MergeStop): void {
  switch (why.kind) {
    case "base_moved":
      return moveBaseFromOutside(decision, why.actual);
    case "head_changed":
      return fail(decision, step.pr, { code: "HEAD_CHANGED" });
    case "refused":
      return fail(decision, step.pr, { code: "MERGE_REFUSED", message: why.message });
    case "not_allowed":
      return pause(decision, { code: "MERGING_NOT_ALLOWED", message: why.message });
    case "tree_mismatch":
      finish(decision, attempt, { pr: step.pr, sha: why.mismatch.sha }, why.mismatch);
      sendBackEverything(decision, { code: "BASE_MOVED", sha: why.mismatch.sha });
      return pause(decision, why.mismatch);
    default:
      return assertNever(why);
  }
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
  const last = run?.members.every((pr) => !decision.state.entries.has(pr));
  if (run && last) discard(decision, run, reason);
}

function fail(decision: Decision, pr: number, reason: Reason): void {
  leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
}

function pause(decision: Decision, reason: Reason): void {
  decision.record({ type: "queue_status_changed", to: "paused", reason });
}
