import { isComposed, remainingAhead } from "../../engine/model/order/dependencies.ts";
import { baseTip, type QueueState, runOf } from "../../engine/model/queue.ts";
import type { TestRun } from "../../engine/model/test-run.ts";

/** A pull request to stack. With a known tree it needs a commit but no merge. */
export interface StackStep {
  readonly pr: number;
  readonly treeSha: string | null;
}

/**
 * Decides on which commit a run's test commit is built. The run of the last entry ahead has already built the same stack, so usually one
 * merge is enough. After a squash merge, however, that stack does not contain the commit that is now the base's tip. A head that was pushed
 * after the squash merge may contain that commit, and would then have a different merge base. In that case the stack is rebuilt on the tip
 * from its known trees.
 */
export function stackToBuildOn(state: QueueState, run: TestRun): { parentSha: string; steps: StackStep[] } {
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

/** The built commits of everything ahead, if each is built on exactly the ones before it; else null. */
function stackOf(state: QueueState, run: TestRun, ahead: readonly number[]): BuiltStep[] | null {
  const stack: BuiltStep[] = [];
  for (const [index, pr] of ahead.entries()) {
    const entry = state.entries.get(pr);
    const built = entry && runOf(state, entry);
    const commit = built?.commits.find((other) => other.pr === pr);
    // A commit that is built on a base without later merges would have a different tree now.
    if (!built || !commit || built.method !== run.method || isComposed(state, built)) return null;
    const below = [...(remainingAhead(state, built) ?? [Number.NaN]), ...built.members];
    if (below.slice(0, below.indexOf(pr)).some((other, at) => other !== ahead[at]) || below[index] !== pr)
      return null;
    stack.push({ ...commit, run: built });
  }
  return stack;
}

/**
 * Whether every head of the run existed before the first merge that is not one of the stack's own commits.
 */
function knowsTheBase(state: QueueState, top: TestRun, run: TestRun): boolean {
  if (run.method === "merge_commit") return true;
  const from = state.base.findIndex((step) => step.sha === top.base);
  const merged = state.base[from + 1];
  if (!merged) return true;
  return run.members.every(
    (pr) => (state.entries.get(pr)?.submittedAt ?? Number.POSITIVE_INFINITY) < merged.since,
  );
}
