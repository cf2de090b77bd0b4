import { baseTip, isComposed, type QueueState, remainingAhead, runOf } from "../engine/model/queue.ts";
import type { TestRun } from "../engine/model/test-run.ts";

/** A pull request still to be stacked; with a known tree it needs a commit but no merging. */
export interface StackStep {
  readonly pr: number;
  readonly treeSha: string | null;
}

/**
 * Where to begin with a run's test commit. The run of the last entry ahead has built the same stack already, so that
 * mostly one merge is enough. After a squash, though, that stack lacks the very commit which is now the base's tip; a head
 * that was pushed since may contain it, and would find another merge base. Then the stack is made anew on the tip, out of
 * its known trees.
 */
export function standingOn(state: QueueState, run: TestRun): { parentSha: string; steps: StackStep[] } {
  const ahead = remainingAhead(state, run) ?? run.ahead;
  const below = stackOf(state, run, ahead);
  const top = below?.at(-1);
  const members = run.members.map((pr): StackStep => ({ pr, treeSha: null }));
  if (top && knowsTheBase(state, top.run, run)) {
    return { parentSha: top.commitSha, steps: members };
  }
  const steps = ahead.map(
    (pr): StackStep => ({ pr, treeSha: below?.find((step) => step.pr === pr)?.treeSha ?? null }),
  );
  return { parentSha: baseTip(state) ?? run.base, steps: [...steps, ...members] };
}

interface BuiltStep {
  readonly pr: number;
  readonly treeSha: string;
  readonly commitSha: string;
  readonly run: TestRun;
}

/** The built commits of everything ahead, when each stands on exactly the ones before it; else null. */
function stackOf(state: QueueState, run: TestRun, ahead: readonly number[]): BuiltStep[] | null {
  const stack: BuiltStep[] = [];
  for (const [index, pr] of ahead.entries()) {
    const entry = state.entries.get(pr);
    const built = entry && runOf(state, entry);
    const commit = built?.commits.find((other) => other.pr === pr);
    // What stands on a base without merges that came since would be another tree now.
    if (!built || !commit || built.method !== run.method || isComposed(state, built)) return null;
    const below = [...(remainingAhead(state, built) ?? [Number.NaN]), ...built.members];
    if (below.slice(0, below.indexOf(pr)).some((other, at) => other !== ahead[at]) || below[index] !== pr)
      return null;
    stack.push({ ...commit, run: built });
  }
  return stack;
}

/** Whether every head of the run was there before the first merge that the stack has not got as its own commit. */
function knowsTheBase(state: QueueState, top: TestRun, run: TestRun): boolean {
  if (run.method === "merge_commit") return true;
  const from = state.base.findIndex((step) => step.sha === top.base);
  const merged = state.base[from + 1];
  if (!merged) return true;
  return run.members.every(
    (pr) => (state.entries.get(pr)?.submittedAt ?? Number.POSITIVE_INFINITY) < merged.since,
  );
}
