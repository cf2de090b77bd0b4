import { dropOut, startOver, startOverAll } from "../policies/beliefs/leaving.ts";
import { breakOff } from "../policies/fixed/bisection.ts";
import type { Decision } from "../decision.ts";
import type { Entry } from "../model/entry.ts";
import { runOf } from "../model/queue.ts";
import type { Reason } from "../reasons/reason.ts";
import { discard, waitAgain } from "./run-end.ts";
import { usesBeliefs } from "../model/strategy.ts";

/** Ends an entry, or lets it wait until it is ready again, and sends back everything whose tests contain it: its batch, and what stands on that. */
export function leave(
  decision: Decision,
  entry: Entry,
  to: "failed" | "cancelled" | "merged" | "not_ready",
  reason: Reason,
  othersBecause: Reason,
): void {
  if (usesBeliefs(decision.state)) return dropOut(decision, entry, to, reason, othersBecause);
  if (entry.bisectionId !== null) breakOff(decision, entry.bisectionId, othersBecause);
  const run = runOf(decision.state, entry);
  decision.move(decision.entry(entry.pr), to, reason);
  if (run) {
    for (const pr of run.members) if (pr !== entry.pr) waitAgain(decision, pr, othersBecause);
    discard(decision, run, reason);
  }
  sendBackFollowers(decision, entry.pr, othersBecause);
}

/** Takes an entry out of the line, with its batch: they wait again, each in its place in the order. */
export function sendBack(decision: Decision, entry: Entry, reason: Reason): void {
  if (usesBeliefs(decision.state)) return startOver(decision, entry, reason);
  if (entry.bisectionId !== null) return breakOff(decision, entry.bisectionId, reason);
  const run = runOf(decision.state, entry);
  if (!run) return waitAgain(decision, entry.pr, reason);
  for (const pr of run.members) waitAgain(decision, pr, reason);
  discard(decision, run, reason);
}

/**
 * Sends back every entry whose tests contain this pull request. What stands on one of those contains it, too: a run has
 * everything ahead of it on which what is ahead of it stands.
 */
export function sendBackFollowers(decision: Decision, pr: number, reason: Reason): void {
  // A test that contains it goes on counting for the others.
  if (usesBeliefs(decision.state)) return;
  for (const { entry: before, run } of decision.state.line.standings) {
    if (!run?.ahead.includes(pr)) continue;
    const entry = decision.state.entries.get(before.pr);
    // It may have been sent back with another of its batch.
    if (entry && runOf(decision.state, entry)) sendBack(decision, entry, reason);
  }
}

export function sendBackEverything(decision: Decision, reason: Reason): void {
  if (usesBeliefs(decision.state)) return startOverAll(decision, reason);
  for (const pr of decision.state.line) sendBack(decision, decision.entry(pr), reason);
}
