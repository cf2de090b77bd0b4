import type { QueueState, RunIndex } from "../model/queue.ts";

import { isActive, type TestRun } from "../model/test-run.ts";

/** Adds or replaces a run, and updates the line and the indexes. O(line + log n). */
export function withRun(state: QueueState, run: TestRun): QueueState {
  const known = state.runs.get(run.id);
  const index = indexed(known ? unindexed(state.runIndex, known) : state.runIndex, run);
  return { ...state, runs: state.runs.with(run.id, run), runIndex: index, line: state.line.following(run) };
}

/** Removes a run. The caller must update its members. */
export function withoutRun(state: QueueState, run: TestRun): QueueState {
  return { ...state, runs: state.runs.without(run.id), runIndex: unindexed(state.runIndex, run) };
}

function indexed(index: RunIndex, run: TestRun): RunIndex {
  const { id, kind, bisectionId } = run;
  const { active, deadlines, probes } = index;
  return {
    active: isActive(run) ? { ...active, [kind]: active[kind] + 1 } : active,
    deadlines: expires(run) ? deadlines.with([run.deadline, id], id) : deadlines,
    probes:
      bisectionId === null
        ? probes
        : probes.with(bisectionId, [...(probes.get(bisectionId) ?? []), id].sort()),
  };
}

function unindexed(index: RunIndex, run: TestRun): RunIndex {
  const { id, kind, bisectionId } = run;
  const { active, deadlines, probes } = index;
  return {
    active: isActive(run) ? { ...active, [kind]: active[kind] - 1 } : active,
    deadlines: expires(run) ? deadlines.without([run.deadline, id]) : deadlines,
    probes: bisectionId === null ? probes : withoutProbe(probes, bisectionId, id),
  };
}

function withoutProbe(probes: RunIndex["probes"], bisectionId: string, id: string): RunIndex["probes"] {
  const others = probes.get(bisectionId)?.filter((other) => other !== id) ?? [];
  return others.length === 0 ? probes.without(bisectionId) : probes.with(bisectionId, others);
}

function expires(run: TestRun): run is TestRun & { deadline: number } {
  return run.state === "running" && run.deadline !== null;
}
