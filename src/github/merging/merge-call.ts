import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { apiMethods } from "./async-merge.ts";
import { makeCall } from "./make-call.ts";
import { classifyMergeRefusal, type MergeRefusal } from "./merge-refusal.ts";

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
export function immediateMergeCall(turn: MergeTurn): MergeCall {
  return {
    followUp: async () => null,
    make: (isUndone) =>
      makeCall(turn.gate, turn.index, () => putMerge(turn), isUndone).catch(classifyMergeRefusal),
  };
}

async function putMerge({ octokit, at, plan, index }: MergeTurn): Promise<{ sha: string }> {
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

/** The merge of one pull request of a plan. */
export interface MergeTurn extends RepositoryApi {
  readonly plan: MergePlan;
  readonly gate: MergeGate;
  /** The index of the step in the plan. */
  readonly index: number;
}
