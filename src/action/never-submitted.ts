import { ApiError } from "../client/errors.ts";
import { loadEntry } from "./follow.ts";
import type { Entry, Outcome, Step } from "./step.ts";

/** The queue's entry for the pull request; null when it was never submitted. */
export async function loadSubmitted(step: Step): Promise<Entry | null> {
  try {
    return await loadEntry(step);
  } catch (error) {
    if (error instanceof ApiError && error.code === "NEVER_SUBMITTED") return null;
    throw error;
  }
}

/** @param consequence completes the message, such as `there is nothing to follow`. */
export function neverSubmitted({ subject: { pr, queue } }: Step, consequence: string): Outcome {
  return {
    verdict: "never-submitted",
    isFailure: false,
    title: "Not in the queue",
    message: `#${pr} was never submitted to the queue of ${queue.targetBranch}; ${consequence}.`,
    outputs: {},
    details: [],
  };
}
