import type { Octokit } from "@octokit/rest";
import type { MergeStep } from "../engine/merge-attempt.ts";
import type { MergeGate, MergePlan } from "../ports/merge-plan.ts";
import { apiMethods } from "./async-merge.ts";
import type { Repository } from "./branches.ts";
import { makeCall } from "./make-call.ts";
import { classifyMergeRefusal, type MergeRefusal } from "./merge-refusal.ts";

/** `sha`: the commit that the base became. */
export type MergeCallResult = { readonly sha: string } | MergeRefusal;

/** How GitHub is asked to merge one pull request of a plan. */
export interface MergeCall {
  /** What became of a call of which that is not known; null: it merged nothing, as far as the call can tell. */
  followUp(): Promise<MergeCallResult | null>;
  /** @param isUndone reads whether a call without an answer has done anything */
  make(isUndone: () => Promise<boolean>): Promise<MergeCallResult>;
}

/** GitHub merges before it answers. What a call without an answer did is found by reading base and pull request. */
export class ImmediateMergeCall implements MergeCall {
  readonly #octokit: Octokit;
  readonly #at: Repository;
  readonly #plan: MergePlan;
  readonly #gate: MergeGate;
  readonly #index: number;

  constructor(octokit: Octokit, at: Repository, plan: MergePlan, gate: MergeGate, index: number) {
    this.#octokit = octokit;
    this.#at = at;
    this.#plan = plan;
    this.#gate = gate;
    this.#index = index;
  }

  async followUp(): Promise<null> {
    return null;
  }

  async make(isUndone: () => Promise<boolean>): Promise<MergeCallResult> {
    try {
      return await makeCall(this.#gate, this.#index, () => this.#put(), isUndone);
    } catch (error) {
      return classifyMergeRefusal(error);
    }
  }

  async #put(): Promise<{ sha: string }> {
    const { pr, headSha, message = {} } = this.#plan.steps[this.#index] as MergeStep;
    const { title, body } = message;
    const { data } = await this.#octokit.rest.pulls.merge({
      ...this.#at,
      pull_number: pr,
      sha: headSha,
      merge_method: apiMethods[this.#plan.method],
      ...(title === undefined ? {} : { commit_title: title }),
      ...(body === undefined ? {} : { commit_message: body }),
    });
    return { sha: data.sha };
  }
}
