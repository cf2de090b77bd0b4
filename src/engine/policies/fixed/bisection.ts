import type { Decision } from "../../decision.ts";
import { discard, waitAgain } from "../../lifecycle/run-end.ts";
import type { Bisection } from "../../model/bisection.ts";
import { serialSlots, testsOneAtATime } from "../../model/interrupted.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { effective } from "../../model/settings.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { culpritRun } from "./evolve-bisection.ts";

/** Begins to look for the culprit of a batch whose failure stands. Nothing is left ahead of it. */
export function bisect(decision: Decision, run: TestRun, failure: Reason): void {
  for (const pr of run.members) waitAgain(decision, pr, { code: "BISECTION_REQUIRED" });
  decision.record({
    type: "bisection_started",
    bisectionId: decision.context.newId(),
    runId: run.id,
    members: run.members,
    failure,
  });
}

/** Ends bisections that know their culprit, and tests what the others need to know. */
export function continueBisections(decision: Decision): void {
  for (const id of decision.state.bisections.keys()) {
    const bisection = decision.state.bisections.get(id);
    if (!bisection) continue;
    if (bisection.red - bisection.green <= 1 || bisection.green === bisection.members.length) {
      conclude(decision, bisection);
    } else if (startsTests(decision.state.status) && !runsOf(decision.state, bisection).some(isActive)) {
      startRound(decision, bisection);
    }
  }
}

/** Gives up the bisections of which no run is being tested. */
export function breakOffIdle(decision: Decision, reason: Reason): void {
  for (const id of decision.state.bisections.keys()) {
    if (!isTesting(decision.state, id)) breakOff(decision, id, reason);
  }
}

function isTesting(state: QueueState, bisectionId: string): boolean {
  const runs = (state.runIndex.probes.get(bisectionId) ?? []).flatMap((id) => state.runs.get(id) ?? []);
  return runs.some(isActive);
}

/** Takes note of the verdict on a prefix, and stops the tests whose verdicts it implies. */
export function narrow(decision: Decision, run: TestRun, verdict: "passed" | "failed", reason: Reason): void {
  decision.record({ type: "run_concluded", runId: run.id, verdict, reason });
  const bisection = decision.state.bisections.get(run.bisectionId ?? "");
  if (!bisection) return;
  const size = run.members.length;
  const { green, greenRunId, red, redRunId, failure } = bisection;
  const passed = verdict === "passed" && size > green;
  // A prefix that passes although a shorter one failed takes that failure back: it was a flake's.
  const takenBack = passed && size >= red;
  const failed = verdict === "failed" && size < red && size > green;
  decision.record({
    type: "bisection_narrowed",
    bisectionId: bisection.id,
    green: passed ? size : green,
    greenRunId: passed ? run.id : greenRunId,
    red: takenBack ? bisection.members.length : failed ? size : red,
    redRunId: takenBack ? null : failed ? run.id : redRunId,
    failure: failed ? reason : failure,
  });
  const narrowed = decision.state.bisections.get(bisection.id) ?? bisection;
  for (const other of runsOf(decision.state, narrowed)) {
    if (isImplied(narrowed, other)) discard(decision, other, { code: "IMPLIED_BY_BISECTION" });
  }
  const previous = decision.state.runs.get(redRunId ?? "");
  if (previous && redRunId !== narrowed.redRunId && previous.bisectionId === null) {
    discard(decision, previous, { code: "IMPLIED_BY_BISECTION" });
  }
}

/** Gives a bisection up: its members wait again. */
export function breakOff(decision: Decision, id: string, reason: Reason): void {
  const bisection = decision.state.bisections.get(id);
  if (!bisection) return;
  for (const run of runsOf(decision.state, bisection)) discard(decision, run, reason);
  decision.record({ type: "bisection_ended", bisectionId: id });
  for (const pr of bisection.members) waitAgain(decision, pr, reason);
}

/**
 * The prefix that passed merges without another test, and the rest waits as it did before. The culprit fails once the prefix
 * has merged: should that leave instead, it has failed on something that never was.
 */
function conclude(decision: Decision, bisection: Bisection): void {
  const { id, members, green, greenRunId, red, redRunId, failure } = bisection;
  const isKnown = culpritRun(decision.state, bisection) !== null;
  for (const run of runsOf(decision.state, bisection)) {
    const decides = run.id === greenRunId || (isKnown && run.id === redRunId);
    if (!decides) discard(decision, run, { code: "IMPLIED_BY_BISECTION" });
  }
  decision.record({ type: "bisection_ended", bisectionId: id });
  for (const pr of members.slice(0, green)) {
    decision.move(decision.entry(pr), "tests_passed", { code: "IMPLIED_BY_BISECTION" });
  }
  for (const pr of members.slice(isKnown ? red : green)) {
    waitAgain(decision, pr, { code: "BISECTION_REQUIRED" });
  }
  const culprit = isKnown ? members[green] : undefined;
  if (culprit !== undefined) decision.move(decision.entry(culprit), "pending_failure", failure);
}

function startRound(decision: Decision, bisection: Bisection): void {
  const { state, context } = decision;
  const base = baseTip(state);
  if (base === null) return;
  for (const size of prefixesToTest(state, bisection)) {
    decision.record({
      type: "run_started",
      run: {
        id: context.newId(),
        kind: "bisection",
        bisectionId: bisection.id,
        method: state.settings.mergeMethod,
        base,
        ahead: [],
        members: bisection.members.slice(0, size),
      },
    });
  }
}

/**
 * With c free slots, c prefixes at once leave a c+1-th of the suspects. `off` halves instead, and also tests the whole of
 * what is known to fail again, which is the right half on top of the left one.
 */
function prefixesToTest(state: QueueState, { green, red }: Bisection): number[] {
  const free = freeBisectionSlots(state);
  const span = red - green;
  if (state.settings.optimizationMode === "off") {
    return [green + Math.floor(span / 2), red].slice(0, Math.max(0, free));
  }
  const count = Math.min(free, span - 1);
  return Array.from({ length: count }, (_, index) => green + Math.round(((index + 1) * span) / (count + 1)));
}

function freeBisectionSlots(state: QueueState): number {
  if (testsOneAtATime(state)) return serialSlots(state);
  return effective(state.settings, "bisectionConcurrency") - state.runIndex.active.bisection;
}

/** Its own runs, and the batch's, for as long as that is the failure which is known. */
function runsOf(state: QueueState, { id, redRunId }: Bisection): TestRun[] {
  const own = state.runIndex.probes.get(id) ?? [];
  const ids = redRunId === null || own.includes(redRunId) ? own : [redRunId, ...own];
  return ids.flatMap((runId) => state.runs.get(runId) ?? []);
}

/** Its verdict is known already, or is of no more use; the runs that passed on P(green) and failed on P(red) vouch for these. */
function isImplied({ green, greenRunId, red, redRunId }: Bisection, run: TestRun): boolean {
  if (run.id === greenRunId || run.id === redRunId) return false;
  const size = run.members.length;
  return !isActive(run) || size <= green || size > red || (size === red && green + 1 === red);
}
