import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/readiness.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { EventData } from "../../../../src/engine/model/event.ts";
import type { MergeAttempt, MergeStep } from "../../../../src/engine/model/merge-attempt.ts";
import { baseTip, countActiveTries, type QueueState } from "../../../../src/engine/model/queue.ts";
import { settingInUse } from "../../../../src/engine/model/settings.ts";
import { isActive } from "../../../../src/engine/model/test-run.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";
import type { CodeHost } from "../code-host.ts";

/** Judges an event: a try is built on the base alone, nothing is built on it, and it does not merge. */
export function checkTryEvent(violations: Violations, before: QueueState, data: EventData): void {
  const used =
    data.type === "run_started"
      ? [...data.run.ahead, ...data.run.members]
      : data.type === "merge_started"
        ? data.attempt.steps.map(({ pr }) => pr)
        : [];
  // A pull request that was just submitted is no longer a try, although the event of its end follows its admission.
  for (const pr of used)
    if (before.tries.has(pr) && !before.entries.has(pr))
      violations.add("I23", `#${pr} is being tried, but ${data.type} contains it`);
  if (data.type !== "try_started") return;
  const { base, ahead, members } = data.run;
  if (base !== baseTip(before) || ahead.length > 0 || members.join() !== `${data.pr}`)
    violations.add("I23", `the try of #${data.pr} stands on ${base}, ${ahead} and holds ${members}`);
  if (before.status !== "running")
    violations.add("I23", `#${data.pr} is tried while the queue is ${before.status}`);
}

/** Judges a state: a try is not queued, and takes no slot that an entry needs. */
export function checkTries(violations: Violations, state: QueueState): void {
  for (const pr of state.tries.keys())
    if (state.entries.has(pr)) violations.add("I23", `#${pr} is tried, and is in the queue`);
  const tried = countActiveTries(state);
  const slots = settingInUse(state.settings, "concurrency");
  if (tried > 0 && tried + state.runIndex.active.main > slots)
    violations.add("I23", `${tried} tries and ${state.runIndex.active.main} runs share ${slots} slots`);
}

/** Checks that only urgent pull requests are ordered to merge during a freeze. */
export function checkFreeze(violations: Violations, before: QueueState, data: EventData, at: number): void {
  const { freeze, entries } = before;
  if (data.type !== "merge_started" || freeze === null || freeze.until <= at) return;
  for (const { pr } of data.attempt.steps) {
    if (entries.get(pr)?.priority.value !== 0)
      violations.add("I22", `the merge of #${pr} was ordered in a freeze`);
  }
}

export function isFreezeOver({ freeze, deleted }: QueueState, now: number): boolean {
  return freeze !== null && !deleted && freeze.until <= now;
}

/**
 * Returns an urgent entry that waits only for the end of the freeze, although nothing else is left to do before the deadline;
 * null = there is none.
 */
export function findUrgentFrozen(
  { freeze, status, entries, runs }: QueueState,
  deadline: number,
): number | null {
  if (freeze?.until !== deadline || status !== "running" || [...runs.values()].some(isActive)) return null;
  const urgent = [...entries.values()].find(
    ({ priority, state, heldBehind, retryAt }) =>
      priority.value === 0 && state !== "not_ready" && heldBehind.length === 0 && retryAt === null,
  );
  return urgent?.pr ?? null;
}

/** With merge commits, one call moves the base over all steps. Otherwise each step is a separate call. */
export function isOneCall({ method, composed, direct, base, steps }: MergeAttempt): boolean {
  return method === "merge_commit" && !composed && !direct && steps[0]?.parentSha === base;
}

/** Returns how many of the first steps may merge now, in whole runs, and the pull request that stops the others. */
export function lookOnceMore(
  host: CodeHost,
  steps: readonly MergeStep[],
): { readonly holding: number; readonly withdrawn: PullRequestFacts | null } {
  const bad = steps.findIndex(
    ({ pr, headSha }) => withdrawalOf({ headSha, baseBranch: "main" }, host.pullRequest(pr)) !== null,
  );
  const stopping = steps[bad];
  if (!stopping) return { holding: steps.length, withdrawn: null };
  const holding = steps.findIndex(({ runId }) => runId === stopping.runId);
  return { holding, withdrawn: host.pullRequest(stopping.pr) };
}
