import type { BaseTestEvent } from "../model/base-test-event.ts";
import type { EventData } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import type { TestRun } from "../model/test-run.ts";
import { begunRun, runAfter } from "./evolve-run.ts";

export function isBaseTestEvent(data: EventData): data is BaseTestEvent {
  return data.type.startsWith("base_test_");
}

/** The state after an event about the test of the base. */
export function afterBaseTestEvent(state: QueueState, data: BaseTestEvent, at: number): QueueState {
  return { ...state, baseTest: runOfBaseAfter(state.baseTest, data, at) };
}

function runOfBaseAfter(before: TestRun | null, data: BaseTestEvent, at: number): TestRun | null {
  switch (data.type) {
    case "base_test_wanted":
      return before;
    case "base_test_started":
      return begunRun(data.run, at);
    case "base_test_built": {
      const { pr: _pr, ...built } = data;
      return before && runAfter(before, { ...built, type: "run_built" }, at);
    }
    case "base_test_checked":
      return before && { ...before, checks: data.checks };
    case "base_test_ended":
      return null;
  }
}
