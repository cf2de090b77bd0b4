import type { Octokit } from "@octokit/rest";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import type { Repository } from "../test-commits/branches.ts";

/** The merge of one pull request of a plan. */
export interface MergeTurn {
  readonly octokit: Octokit;
  readonly at: Repository;
  readonly plan: MergePlan;
  readonly gate: MergeGate;
  /** The index of the step in the plan. */
  readonly index: number;
}
