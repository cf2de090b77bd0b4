import { setTimeout as sleep } from "node:timers/promises";
import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import { kindOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { apiMethods } from "./async-merge.ts";
import { classifyMergeRefusal, type MergeRefusal } from "./merge-refusal.ts";

/** The merge of one pull request of a plan. */
export interface PlannedMerge extends RepositoryApi {
  readonly plan: MergePlan;
  readonly gate: MergeGate;
  /** The index of the step in the plan. */
  readonly index: number;
}

/** `sha`: the commit that the base became. */
export type MergeCallResult = { readonly sha: string } | MergeRefusal;

/** A way to request the merge of one pull request of a plan from GitHub. */
export interface MergeCall {
  /** The result of an earlier call whose result is unknown; null: it merged nothing, as far as the call can tell. */
  followUp(): Promise<MergeCallResult | null>;
  /** @param isUndone returns true if a call without a response has done nothing */
  make(isUndone: () => Promise<boolean>): Promise<MergeCallResult>;
}

/** GitHub merges before it responds. The effect of a call without a response is found by reading the base and the pull request. */
export function immediateMergeCall(planned: PlannedMerge): MergeCall {
  return {
    followUp: async () => null,
    make: (isUndone) =>
      makeMergeCall(planned.gate, planned.index, () => putMerge(planned), isUndone).catch(
        classifyMergeRefusal,
      ),
  };
}

async function putMerge({ octokit, at, plan, index }: PlannedMerge): Promise<{ sha: string }> {
  const { pr, headSha, message = {} } = plan.steps[index] as MergeStep;
  const { title, body } = message;
  const { data } = await octokit.rest.pulls.merge({
    ...at,
    pull_number: pr,
    sha: headSha,
    merge_method: apiMethods[plan.method],
    ...(title === undefined ? {} : { commit_title: title }),
    ...(body === undefined ? {} : { commit_message: body }),
  });
  return { sha: data.sha };
}

/**
 * The time after which a call without a response has taken its effect: GitHub answers within ten seconds, and mostly in a fraction
 * of one.
 */
const settlingMs = 2_000;

/**
 * Makes a call that merges. If it fails and has certainly done nothing, tells the gate that the steps after the first `done` ones
 * are not done. `isUndone` returns true if a call without a response has done nothing.
 */
export async function makeMergeCall<T>(
  gate: MergeGate,
  done: number,
  call: () => Promise<T>,
  isUndone: () => Promise<boolean>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isEffectUnknown(error) || (await hasDoneNothing(isUndone))) await gate.notDone(done);
    throw error;
  }
}

/** Whether the effect of a failed call is unknown. */
export function isEffectUnknown(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === null || kind === "unavailable";
}

async function hasDoneNothing(isUndone: () => Promise<boolean>): Promise<boolean> {
  await sleep(settlingMs);
  try {
    return await isUndone();
  } catch (error) {
    if (kindOf(error) === null) throw error;
    // Still unknown; the next attempt reads it.
    return false;
  }
}

const waitsMs = [200, 400, 800, 1_600];

/**
 * Repeats a step while it returns `again`, for about three seconds. The step reads everything again each time. A step that stays
 * undecided is `not_possible`.
 */
export async function retryWhileUndecided<T>(step: () => Promise<T | "again">): Promise<T | "not_possible"> {
  for (const wait of waitsMs) {
    const result = await step();
    if (result !== "again") return result;
    await sleep(wait);
  }
  const result = await step();
  return result === "again" ? "not_possible" : result;
}
