import * as z from "zod";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { MergedStep, MergeOutcome, MergeStep, MergeStop } from "../../engine/model/merge-attempt.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merging.ts";
import { CodeHostError, NotFoundByReading } from "../client/code-host-error.ts";
import { askGraphql, pullRequestQuery, type RepositoryApi } from "../client/repository-api.ts";
import { listActivities } from "../pull-requests/pushes.ts";
import { readTip, readTree, type Tip } from "../test-commits/branches.ts";
import { AsyncMergeCall } from "./async-merge-call.ts";
import {
  immediateMergeCall,
  type MergeCall,
  type MergeCallResult,
  type PlannedMerge,
  retryWhileUndecided,
} from "./merge-call.ts";
import type { MergeRefusal } from "./merge-refusal.ts";
import { recheckPullRequests } from "./recheck-pull-requests.ts";

/**
 * Lets GitHub merge the pull requests one by one. Right before each merge, the base must be at the expected commit: the plan's base,
 * or the result of the previous merge. GitHub's API compares only the head, so it also merges onto a push that arrives after that
 * reading. Therefore the base's tree must be the tested one afterwards. The effect of an earlier attempt is found by reading, so that
 * nothing is merged twice.
 */
export async function mergeByApi(
  api: RepositoryApi,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome> {
  const merged: MergedStep[] = [];
  let expected = plan.base;
  for (const [index, step] of plan.steps.entries()) {
    const stepGate = new StepGate(gate);
    const result = await new StepMerge({ ...api, plan, gate: stepGate, index })
      .merge(expected)
      .catch((error: unknown) => {
        // Returns the merged steps first, because the error is not about them. The caller requests the others again.
        if (merged.length === 0 || stepGate.mayBeDone) throw error;
        return "called_off" as const;
      });
    if (result === "called_off") return { merged, stop: null };
    if ("kind" in result) return { merged, stop: result };
    const { sha, treeSha } = result;
    if (treeSha !== step.treeSha) {
      const found = { code: "TREE_MISMATCH", pr: step.pr, sha, expectedTree: step.treeSha } as const;
      const pushed = await findPush(api, plan.branch, sha, expected);
      const mismatch = { ...found, actualTree: treeSha, ...(pushed ? { pushed } : {}) };
      return { merged, stop: { kind: "tree_mismatch", mismatch } };
    }
    merged.push({ pr: step.pr, sha, treeSha, proof: "same_tree" });
    expected = sha;
  }
  return { merged, stop: null };
}

type StepResult = Tip | MergeStop | "called_off";

/** Tracks whether a step may have merged, in this attempt or in an earlier one whose call got no response. */
class StepGate implements MergeGate {
  readonly #gate: MergeGate;
  mayBeDone = true;

  constructor(gate: MergeGate) {
    this.#gate = gate;
  }

  async call(steps: number): Promise<boolean> {
    const isCalled = await this.#gate.call(steps);
    this.mayBeDone ||= isCalled;
    return isCalled;
  }

  requested(pr: number, id: string): Promise<void> {
    return this.#gate.requested(pr, id);
  }

  async notDone(steps: number): Promise<void> {
    await this.#gate.notDone(steps);
    this.mayBeDone = false;
  }
}

/** The merge of one pull request of the plan, retried for a while. */
class StepMerge {
  readonly #planned: PlannedMerge;
  readonly #step: MergeStep;
  readonly #call: MergeCall;

  constructor(planned: PlannedMerge) {
    const { plan, index } = planned;
    this.#planned = planned;
    this.#step = plan.steps[index] as MergeStep;
    this.#call = plan.by === "async_api" ? new AsyncMergeCall(planned) : immediateMergeCall(planned);
  }

  async merge(expected: string): Promise<StepResult> {
    let last: MergeRefusal | null = null;
    const result = await retryWhileUndecided<StepResult>(async () => {
      const result = await this.#try(expected);
      if (typeof result === "string" || !("stop" in result)) return result;
      last = result;
      return typeof result.stop === "string" ? "again" : result.stop;
    });
    return result === "not_possible" ? lastingStop(last) : result;
  }

  async #try(expected: string): Promise<StepResult | MergeRefusal> {
    const { plan, gate, index } = this.#planned;
    const earlier = await this.#call.followUp();
    if (earlier) return this.#settle(earlier);
    const before = this.#mayBeCalled() ? await this.#findMove(expected) : null;
    if (before) return before;
    // Neither an earlier attempt nor anybody else has merged this step.
    await gate.notDone(index);
    const { holding, withdrawn, isBehind } = await recheckPullRequests(
      this.#planned,
      plan.branch,
      this.#together(),
      plan.by === "async_api",
    );
    if (holding === 0 && withdrawn) return this.#endedBy(withdrawn);
    if (!(await gate.call(index + 1))) return "called_off";
    // The last reading before the call, because permission by the gate takes time. A later push is found only after the merge.
    const moved = await this.#findMove(expected).catch(async (error: unknown) => {
      await gate.notDone(index);
      throw error;
    });
    if (moved) {
      await gate.notDone(index);
      return moved;
    }
    const result = await this.#call.make(() => this.#isUndone(expected));
    return this.#settle(isBehind ? withCauseIfBehind(result) : result);
  }

  async #settle(result: MergeCallResult): Promise<StepResult | MergeRefusal> {
    if (!("sha" in result)) return result;
    const { sha } = result;
    const tip = await this.#readBase();
    return tip.sha === sha ? tip : commitOf(this.#planned, sha);
  }

  /** Why the base is not at the expected commit; null: it is. */
  async #findMove(expected: string): Promise<StepResult | MergeRefusal | null> {
    const tip = await this.#readBase();
    if (tip.sha === expected) return null;
    const merged = await this.#mergedBefore();
    if (merged === null && this.#isProbablyOurs(tip)) {
      const message = `the base has the merge of #${this.#step.pr}, which does not show on the pull request yet`;
      return { stop: "busy", message };
    }
    return merged ?? { kind: "base_moved", actual: tip.sha };
  }

  /** A call of an earlier attempt may have merged the pull request after the base was read. */
  async #endedBy(withdrawn: PullRequestFacts): Promise<StepResult> {
    const isThisStep = withdrawn.state === "merged" && withdrawn.number === this.#step.pr;
    const merged = isThisStep ? await this.#mergedBefore() : null;
    return merged ?? { kind: "withdrawn", pullRequest: withdrawn };
  }

  /** The merge by an earlier attempt; null: there is none. */
  async #mergedBefore(): Promise<Tip | null> {
    const sha = await mergedByUs(this.#planned, this.#step.pr);
    return sha === null ? null : commitOf(this.#planned, sha);
  }

  /** An earlier process may have made a call that got no response. */
  #mayBeCalled(): boolean {
    return (this.#planned.plan.called ?? 0) > this.#planned.index;
  }

  /** Whether an earlier process may have called this merge, and the base has the tree that the call would have made. */
  #isProbablyOurs(tip: Tip): boolean {
    return this.#mayBeCalled() && tip.treeSha === this.#step.treeSha;
  }

  #readBase(): Promise<Tip> {
    return requireTip(this.#planned, this.#planned.plan.branch);
  }

  /** This step, and the steps after it that were tested together with it. */
  #together(): readonly MergeStep[] {
    const { runId } = this.#step;
    return this.#planned.plan.steps.slice(this.#planned.index).filter((step) => step.runId === runId);
  }

  async #isUndone(expected: string): Promise<boolean> {
    if ((await this.#readBase()).sha !== expected) return false;
    const { pr } = this.#step;
    const { data } = await this.#planned.octokit.rest.pulls.get({ ...this.#planned.at, pull_number: pr });
    return !data.merged;
  }
}

/** The commit of a pull request that an earlier attempt of ours merged; null when there is none. A merge by a person is not ours. */
async function mergedByUs(api: RepositoryApi, pr: number): Promise<string | null> {
  const { data } = await api.octokit.rest.pulls.get({ ...api.at, pull_number: pr });
  return data.merged && data.merged_by?.type === "Bot" ? readMergeCommit(api, data) : null;
}

async function commitOf(api: RepositoryApi, sha: string): Promise<Tip> {
  return { sha, treeSha: await readTree(api, sha) };
}

async function requireTip(api: RepositoryApi, branch: string): Promise<Tip> {
  const tip = await readTip(api, branch);
  if (tip === null) throw new NotFoundByReading(`there is no branch ${branch} any more`);
  return tip;
}

/** The commit that somebody put on the base right before our merge; null: none, or GitHub's record of pushes does not name it. */
async function findPush(
  api: RepositoryApi,
  branch: string,
  sha: string,
  expected: string,
): Promise<string | null> {
  // An error must not hide the mismatch.
  const activities = await listActivities(api, `refs/heads/${branch}`).catch(() => []);
  const [last] = activities;
  return last?.after === sha && last.before !== expected ? last.before : null;
}

/**
 * GitHub misses the checks of a head that is behind a strict base. Heads are behind all the time where the App bypasses that rule, so the
 * refusal counts only if it lasts.
 */
function withCauseIfBehind(result: MergeCallResult): MergeCallResult {
  if (!("stop" in result) || result.stop !== "may_pass" || result.lasting) return result;
  const { message } = result;
  if (!/status checks? .*expected/i.test(message)) return result;
  return { ...result, lasting: { kind: "refused", message, cause: "UP_TO_DATE_REQUIRED" } };
}

/** The meaning of a refusal that has lasted. */
function lastingStop(refusal: MergeRefusal | null): MergeStop {
  if (refusal?.lasting) return refusal.lasting;
  throw new CodeHostError(refusal?.stop === "busy" ? "busy" : "invalid", refusal?.message ?? "no answer");
}

const mergeCommitQuery = pullRequestQuery(
  "mergeCommit { oid }",
  z.object({ mergeCommit: z.object({ oid: z.string() }).nullable() }),
);

/**
 * The commit that merged a pull request into its base; for a rebase, the last one. REST version 2026-03-10 omits it from pull
 * requests, so GraphQL is asked. https://docs.github.com/en/rest/about-the-rest-api/breaking-changes
 */
async function readMergeCommit(
  api: RepositoryApi,
  pull: { readonly number: number; readonly merge_commit_sha?: string | null },
): Promise<string> {
  if (pull.merge_commit_sha) return pull.merge_commit_sha;
  const { number } = pull;
  const { mergeCommit } = (await askGraphql(api, mergeCommitQuery, { number })).pullRequest;
  if (mergeCommit === null)
    throw new CodeHostError("unavailable", `GitHub does not name the merge commit of #${number} yet`);
  return mergeCommit.oid;
}
