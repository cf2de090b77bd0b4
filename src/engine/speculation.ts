import type { Decision } from "./decision.ts";
import type { Command } from "./input.ts";
import { isBeingMerged, sendBack, sendBackFollowers } from "./line.ts";
import { baseTip, type QueueState, startsTests } from "./queue.ts";
import { effective } from "./settings.ts";
import { isActive } from "./test-run.ts";

/** Starts test runs while slots are free, each on top of everything in the line that is still good. */
export function startRuns(decision: Decision): void {
  let free = freeSlots(decision.state);
  while (free > 0) {
    const { state } = decision;
    const base = baseTip(state);
    const pr = state.waiting.first();
    if (!startsTests(state.status) || base === null || pr === undefined) return;
    decision.record({
      type: "run_started",
      run: {
        id: decision.context.newId(),
        kind: "main",
        method: state.settings.mergeMethod,
        base,
        ahead: goodLine(state),
        members: [pr],
      },
    });
    free -= 1;
  }
}

export function freeSlots(state: QueueState): number {
  const active = [...state.runs.values()].filter((run) => run.kind === "main" && isActive(run)).length;
  return effective(state.settings, "concurrency") - active;
}

/** The line without the entries whose tests failed. */
function goodLine(state: QueueState): number[] {
  return state.line.filter((pr) => state.entries.get(pr)?.state !== "pending_failure");
}

/** Lets entries whose delay is over wait in their place again. */
export function resumeDelayed(decision: Decision): void {
  for (const pr of decision.state.delayed.values()) {
    const { retryAt } = decision.entry(pr);
    if (retryAt !== null && retryAt > decision.context.now) return;
    decision.record({ type: "entry_due", pr });
  }
}

/** Lets a held entry wait in its place again when nothing of what it conflicted with is in the line any more. */
export function releaseHeld(decision: Decision): void {
  if (decision.state.held.size === 0) return;
  const line = new Set(decision.state.line);
  for (const pr of decision.state.held.values()) {
    const { heldBehind } = decision.entry(pr);
    if (!heldBehind.some((other) => line.has(other))) decision.record({ type: "entry_released", pr });
  }
}

/** Tests an entry again, and everything whose tests contain it; each keeps its place in the order. */
export function restart(decision: Decision, command: Extract<Command, { type: "restart" }>): void {
  const entry = decision.state.entries.get(command.pr);
  if (!entry) return decision.refuse({ code: "NOT_QUEUED", pr: command.pr });
  if (isBeingMerged(decision.state, entry.pr)) {
    return decision.refuse({ code: "MERGE_ALREADY_ORDERED", pr: entry.pr });
  }
  if (!["testing", "tests_passed", "pending_failure"].includes(entry.state)) {
    return decision.refuse({ code: "NOT_TESTING", pr: entry.pr, state: entry.state });
  }
  sendBack(decision, entry, { code: "RESTARTED", by: command.actor.name });
  sendBackFollowers(decision, entry.pr, { code: "AHEAD_RESTARTED", pr: entry.pr });
}
