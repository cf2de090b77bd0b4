import type { Observation } from "../../../src/engine/model/input.ts";
import type { QueueUnderSoak } from "./queue-under-soak.ts";

/** Whether a late observation is about something that has ended since. */
export function isObsolete(late: Observation, { state }: QueueUnderSoak): boolean {
  switch (late.type) {
    case "test_commit_concluded":
      return state.runs.get(late.runId)?.state !== "building";
    case "checks_observed":
      return state.runs.get(late.runId)?.state !== "running";
    case "base_observed":
      return late.asOfSeq < state.baseSeq;
    case "merge_calling":
    case "merge_not_done":
    case "merge_concluded":
      return state.merge?.id !== late.attemptId;
    default:
      return false;
  }
}
