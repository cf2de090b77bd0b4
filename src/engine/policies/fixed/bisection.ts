import type { Decision } from "../../decision.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import { serialSlots, testsOneAtATime } from "../../model/capacity/slots.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import { isActive, requireMembers, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { type Bisection, bisectionOf, bisectionsOf, culpritRun } from "./fixed-fold.ts";

/** Starts the bisection of a batch whose failure counts, once no entry is ahead of it. */
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

/** Ends the bisections that have found their culprit, and starts the next tests of the others. */
export function continueBisections(decision: Decision): void {
  for (const id of bisectionsOf(decision.state).keys()) {
    const bisection = bisectionsOf(decision.state).get(id);
    if (!bisection) continue;
    if (bisection.red - bisection.green <= 1 || bisection.green === bisection.members.length) {
      conclude(decision, bisection);
    } else if (startsTests(decision.state.status) && !runsOf(decision.state, bisection).some(isActive)) {
      startRound(decision, bisection);
    }
  }
}

/** Gives up the bisections without an active run. */
export function breakOffIdle(decision: Decision, reason: Reason): void {
  for (const id of bisectionsOf(decision.state).keys()) {
    if (!isTesting(decision.state, id)) breakOff(decision, id, reason);
  }
}

function isTesting(state: QueueState, bisectionId: string): boolean {
  const runs = (state.runIndex.probes.get(bisectionId) ?? []).flatMap((id) => state.runs.get(id) ?? []);
  return runs.some(isActive);
}

/** Records the verdict on a prefix, and discards the runs whose verdicts it implies. */
export function narrow(decision: Decision, run: TestRun, verdict: "passed" | "failed", reason: Reason): void {
  decision.record({ type: "run_concluded", runId: run.id, verdict, reason });
  const bisection = bisectionOf(decision.state, run);
  if (!bisection) return;
  const size = run.members.length;
  const { green, greenRunId, red, redRunId, failure } = bisection;
  const passed = verdict === "passed" && size > green;
  // If a prefix passes although a shorter one failed, that failure was a flake and is taken back.
  const takenBack = passed && size >= red;
  const failed = verdict === "failed" && size <= red && size > green;
  decision.record({
    type: "bisection_narrowed",
    bisectionId: bisection.id,
    green: passed ? size : green,
    greenRunId: passed ? run.id : greenRunId,
    red: takenBack ? bisection.members.length : failed ? size : red,
    redRunId: takenBack ? null : failed ? run.id : redRunId,
    failure: failed ? reason : failure,
  });
  const narrowed = bisectionsOf(decision.state).get(bisection.id) ?? bisection;
  for (const other of runsOf(decision.state, narrowed)) {
    if (isImplied(narrowed, other)) discard(decision, other, { code: "IMPLIED_BY_BISECTION" });
  }
  const previous = redRunId === null ? undefined : decision.state.runs.get(redRunId);
  if (previous && redRunId !== narrowed.redRunId && previous.bisectionId === null) {
    discard(decision, previous, { code: "IMPLIED_BY_BISECTION" });
  }
}

/** Gives a bisection up. Its members wait again. */
export function breakOff(decision: Decision, id: string, reason: Reason): void {
  const bisection = bisectionsOf(decision.state).get(id);
  if (!bisection) return;
  for (const run of runsOf(decision.state, bisection)) discard(decision, run, reason);
  decision.record({ type: "bisection_ended", bisectionId: id });
  for (const pr of bisection.members) waitAgain(decision, pr, reason);
}

/**
 * Ends a bisection. The prefix that passed merges without another test, and the entries behind the culprit wait again. The culprit is
 * evicted only after the prefix has merged: if the prefix leaves instead, the culprit has failed on a base that never existed.
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
        members: requireMembers(bisection.members.slice(0, size)),
      },
    });
  }
}

/**
 * Returns the sizes of the prefixes to test next. With c free slots, c prefixes at once leave 1/(c+1) of the suspects. `off`
 * halves the suspects instead, and tests the shortest failed prefix once more, which is the right half on top of the left one.
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
  return settingInUse(state.settings, "bisectionConcurrency") - state.runIndex.active.bisection;
}

/** Returns the runs of a bisection, and the run of the batch while that is the shortest known failure. */
function runsOf(state: QueueState, { id, redRunId }: Bisection): TestRun[] {
  const own = state.runIndex.probes.get(id) ?? [];
  const ids = redRunId === null || own.includes(redRunId) ? own : [redRunId, ...own];
  return ids.flatMap((runId) => state.runs.get(runId) ?? []);
}

/** Whether the verdict of a run is known or not needed any more. The runs that prove the sizes `green` and `red` are kept. */
function isImplied({ green, greenRunId, red, redRunId }: Bisection, run: TestRun): boolean {
  if (run.id === greenRunId || run.id === redRunId) return false;
  const size = run.members.length;
  return !isActive(run) || size <= green || size > red || (size === red && green + 1 === red);
}
