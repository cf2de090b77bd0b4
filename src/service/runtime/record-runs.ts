import { begunRun, type RunEvent, runAfter } from "../../engine/fold/evolve-run.ts";
import type { Event, EventData } from "../../engine/model/event.ts";
import { findRun, type QueueState } from "../../engine/model/queue.ts";
import type { StartedRun, TestRun } from "../../engine/model/test-run.ts";

import type { RunRecord } from "../../ports/run-record.ts";

/** The records, after the last event, of the runs that the events are about. */
export function recordRuns(
  before: QueueState,
  events: readonly Event[],
  after: QueueState,
): readonly RunRecord[] {
  const records = new Map<string, RunRecord>();
  for (const { data: told, at } of events) {
    const data = asRunEvent(told);
    if (data.type === "run_started") records.set(data.run.id, begun(data.run, at, after, before));
    else if ("runId" in data && isAboutRun(data)) {
      const known = records.get(data.runId) ?? recordOf(before, data.runId);
      if (known) records.set(data.runId, advance(known, data, at));
    }
  }
  return [...records.values()];
}

/** The record of a run that is in the state. */
export function recordOf(state: QueueState, runId: string): RunRecord | null {
  const run = findRun(state, runId);
  if (!run) return null;
  const status = run.state === "passed" ? "succeeded" : run.state === "failed" ? "failed" : "in_progress";
  return { run, status, endedAt: null, pullRequests: pullRequestsOf(run, state) };
}

const runEvents: ReadonlySet<string> = new Set<RunEvent["type"]>([
  "run_built",
  "run_checked",
  "run_requirements_changed",
  "run_retried",
  "run_retry_refused",
  "run_forgiven",
  "run_concluded",
  "run_discarded",
]);

function isAboutRun(data: EventData): data is RunEvent {
  return runEvents.has(data.type);
}

function begun(started: StartedRun, at: number, after: QueueState, before: QueueState): RunRecord {
  const run = begunRun(started, at);
  const pullRequests = pullRequestsOf(run, after, before);
  return { run, status: "in_progress", endedAt: null, pullRequests };
}

function advance(record: RunRecord, data: RunEvent, at: number): RunRecord {
  const run = runAfter(record.run, data, at);
  if (data.type === "run_concluded")
    return { ...record, run, status: data.verdict === "passed" ? "succeeded" : "failed", endedAt: at };
  if (data.type === "run_requirements_changed" && data.reopens)
    return { ...record, run, status: "in_progress", endedAt: null };
  if (data.type !== "run_discarded") return { ...record, run };
  if (record.status !== "in_progress") return { ...record, endedAt: record.endedAt ?? at };
  return { ...record, status: "cancelled", endedAt: at, cancelledFor: data.reason };
}

function pullRequestsOf(run: Pick<TestRun, "members" | "ofBase">, ...states: readonly QueueState[]) {
  if (run.ofBase) return [];
  return run.members.flatMap((pr) => {
    const entry = states
      .map(({ entries, tries }) => entries.get(pr) ?? tries.get(pr))
      .find((found) => found !== undefined);
    return entry ? [{ pr, title: entry.title, url: entry.url, headSha: entry.headSha }] : [];
  });
}

/** Maps the events of a run of a try or of the base to those of any other run. */
function asRunEvent(data: EventData): EventData {
  switch (data.type) {
    case "try_started":
    case "base_test_started":
      return { type: "run_started", run: data.run };
    case "try_built":
    case "base_test_built":
      return { ...data, type: "run_built" };
    case "try_put_back":
      return { ...data.dropped, type: "run_discarded", cancels: true, reason: data.reason };
    case "try_ended": {
      const { dropped, verdict, reason } = data;
      if (!dropped) return data;
      if (verdict === "stopped") return { ...dropped, type: "run_discarded", cancels: true, reason };
      return { type: "run_concluded", runId: dropped.runId, verdict, reason };
    }
    case "base_test_checked":
      return { ...data, type: "run_checked" };
    case "base_test_ended": {
      const { dropped, verdict, reason } = data;
      if (verdict === "passed" || verdict === "failed")
        return { type: "run_concluded", runId: dropped.runId, verdict, reason };
      return { ...dropped, type: "run_discarded", cancels: true, reason };
    }
    default:
      return data;
  }
}
