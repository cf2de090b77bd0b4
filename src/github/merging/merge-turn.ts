import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/** The merge of one pull request of a plan. */
export interface MergeTurn extends RepositoryApi {
  readonly plan: MergePlan;
  readonly gate: MergeGate;
  /** The index of the step in the plan. */
  readonly index: number;
}
