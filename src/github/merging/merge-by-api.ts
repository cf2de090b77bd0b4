import type { Octokit } from "@octokit/rest";
import type { MergedStep, MergeOutcome, MergeStep, MergeStop } from "../../engine/model/merge-attempt.ts";
import type { PullRequestFacts } from "../../engine/model/pull-request-facts.ts";
import type { MergeGate, MergePlan } from "../../ports/code-host/merge-plan.ts";
import { CodeHostError, NotFoundByReading } from "../client/code-host-error.ts";
import { patiently } from "../client/limits/patience.ts";
import { type Repository, readTip, type Tip } from "../test-commits/branches.ts";
import { readMergeCommit } from "../test-commits/merge-commit.ts";
import { AsyncMergeCall } from "./async-merge-call.ts";
import { lookOnceMore } from "./last-look.ts";
import { immediateMergeCall, type MergeCall, type MergeCallResult } from "./merge-call.ts";
import type { MergeRefusal } from "./merge-refusal.ts";
import type { MergeTurn } from "./merge-turn.ts";

/**
 * Lets GitHub merge the pull requests one by one. Before each merge, the base must be at the expected commit: the plan's base, or
 * the result of the previous merge. After it, the base's tree must be the tested one. The effect of an earlier try is found by
 * reading, so that nothing is merged twice.
 */
export async function mergeByApi(
  octokit: Octokit,
  at: Repository,
  plan: MergePlan,
  gate: MergeGate,
): Promise<MergeOutcome> {
  const merged: MergedStep[] = [];
  let expected = plan.base;
  let tip = await requireTip(octokit, at, plan.branch);
  for (const [index, step] of plan.steps.entries()) {
    const stepGate = new StepGate(gate);
    const result = await new StepMerge({ octokit, at, plan, gate: stepGate, index })
      .merge(expected, tip)
      .catch((error: unknown) => {
        // Returns the merged steps first, because the error is not about them. The caller requests the others again.
        if (merged.length === 0 || stepGate.mayBeDone) throw error;
        return "called_off" as const;
      });
    if (result === "called_off") return { merged, stop: null };
    if ("kind" in result) return { merged, stop: result };
    if (result.commit.treeSha !== step.treeSha) {
      return { merged, stop: { kind: "tree_mismatch", mismatch: mismatchOf(step, result.commit) } };
    }
    const { sha, treeSha } = result.commit;
    merged.push({ pr: step.pr, sha, treeSha, proof: "same_tree" });
    expected = sha;
    tip = result.tip;
  }
  return { merged, stop: null };
}

interface Merged {
  /** The commit that the base became. */
  readonly commit: Tip;
  /** The tip of the base when that was read. */
  readonly tip: Tip;
}

type StepResult = Merged | MergeStop | "called_off";

/** Tracks whether a step may have merged, in this try or in an earlier one whose call got no response. */
class StepGate implements MergeGate {
  readonly #gate: MergeGate;
  mayBeDone = true;

  constructor(gate: MergeGate) {
    this.#gate = gate;
  }

  async call(steps: number): Promise<boolean> {
    this.mayBeDone = true;
    return this.#gate.call(steps);
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
  readonly #turn: MergeTurn;
  readonly #step: MergeStep;
  readonly #call: MergeCall;

  constructor(turn: MergeTurn) {
    const { plan, index } = turn;
    this.#turn = turn;
    this.#step = plan.steps[index] as MergeStep;
    this.#call = plan.by === "async_api" ? new AsyncMergeCall(turn) : immediateMergeCall(turn);
  }

  async merge(expected: string, known: Tip): Promise<StepResult> {
    let tip: Tip | null = known;
    let last: MergeRefusal | null = null;
    const result = await patiently<StepResult>(async () => {
      tip ??= await requireTip(this.#turn.octokit, this.#turn.at, this.#turn.plan.branch);
      const result = await this.#try(expected, tip);
      tip = null;
      if (typeof result === "string" || !("stop" in result)) return result;
      last = result;
      return typeof result.stop === "string" ? "again" : result.stop;
    });
    return result === "not_possible" ? lastStop(last) : result;
  }

  async #try(expected: string, tip: Tip): Promise<StepResult | MergeRefusal> {
    const { octokit, at, plan, gate, index } = this.#turn;
    const earlier = await this.#call.followUp();
    if (earlier) return this.#settle(earlier);
    if (tip.sha !== expected) {
      const merged = await this.#mergedBefore(tip);
      if (merged === null && this.#isProbablyOurs(tip)) {
        const message = `the base has the merge of #${this.#step.pr}, which does not show on the pull request yet`;
        return { stop: "busy", message };
      }
      return merged ?? { kind: "base_moved", actual: tip.sha };
    }
    // Neither an earlier try nor anybody else has merged this step.
    await gate.notDone(index);
    const { holding, withdrawn } = await lookOnceMore(
      octokit,
      at,
      plan.branch,
      this.#together(),
      plan.by === "async_api",
    );
    if (holding === 0 && withdrawn) return this.#endedBy(withdrawn);
    if (!(await gate.call(index + 1))) return "called_off";
    return this.#settle(await this.#call.make(() => this.#isUndone(expected)));
  }

  async #settle(result: MergeCallResult): Promise<StepResult | MergeRefusal> {
    if (!("sha" in result)) return result;
    const { sha } = result;
    const tip = await requireTip(this.#turn.octokit, this.#turn.at, this.#turn.plan.branch);
    return { commit: tip.sha === sha ? tip : await commitOf(this.#turn.octokit, this.#turn.at, sha), tip };
  }

  /** A call of an earlier try may have merged the pull request after the base was read. */
  async #endedBy(withdrawn: PullRequestFacts): Promise<StepResult> {
    const isThisStep = withdrawn.state === "merged" && withdrawn.number === this.#step.pr;
    const tip = isThisStep
      ? await requireTip(this.#turn.octokit, this.#turn.at, this.#turn.plan.branch)
      : null;
    return (tip && (await this.#mergedBefore(tip))) ?? { kind: "withdrawn", pullRequest: withdrawn };
  }

  /** The merge by an earlier try; null: there is none. */
  async #mergedBefore(tip: Tip): Promise<Merged | null> {
    const sha = await mergedByUs(this.#turn.octokit, this.#turn.at, this.#step.pr);
    return sha === null ? null : { commit: await commitOf(this.#turn.octokit, this.#turn.at, sha), tip };
  }

  /** An earlier call got no response, and the base has the tree that this call would have made. */
  #isProbablyOurs(tip: Tip): boolean {
    return (this.#turn.plan.called ?? 0) > this.#turn.index && tip.treeSha === this.#step.treeSha;
  }

  /** This step, and the steps after it that were tested together with it. */
  #together(): readonly MergeStep[] {
    const { runId } = this.#step;
    return this.#turn.plan.steps.slice(this.#turn.index).filter((step) => step.runId === runId);
  }

  async #isUndone(expected: string): Promise<boolean> {
    const tip = await requireTip(this.#turn.octokit, this.#turn.at, this.#turn.plan.branch);
    if (tip.sha !== expected) return false;
    const { pr } = this.#step;
    const { data } = await this.#turn.octokit.rest.pulls.get({ ...this.#turn.at, pull_number: pr });
    return !data.merged;
  }
}

/** The commit of a pull request that an earlier try of ours merged; null when there is none. A merge by a person is not ours. */
async function mergedByUs(octokit: Octokit, at: Repository, pr: number): Promise<string | null> {
  const { data } = await octokit.rest.pulls.get({ ...at, pull_number: pr });
  return data.merged && data.merged_by?.type === "Bot" ? readMergeCommit(octokit, at, data) : null;
}

async function commitOf(octokit: Octokit, at: Repository, sha: string): Promise<Tip> {
  const { data } = await octokit.rest.git.getCommit({ ...at, commit_sha: sha });
  return { sha: data.sha, treeSha: data.tree.sha };
}

async function requireTip(octokit: Octokit, at: Repository, branch: string): Promise<Tip> {
  const tip = await readTip(octokit, at, branch);
  if (tip === null) throw new NotFoundByReading(`there is no branch ${branch} any more`);
  return tip;
}

function mismatchOf(step: MergeStep, tip: Tip) {
  return {
    code: "TREE_MISMATCH",
    pr: step.pr,
    sha: tip.sha,
    expectedTree: step.treeSha,
    actualTree: tip.treeSha,
  } as const;
}

/** The meaning of a refusal that has lasted. */
function lastStop(refusal: MergeRefusal | null): MergeStop {
  if (refusal?.lasting) return refusal.lasting;
  throw new CodeHostError(refusal?.stop === "busy" ? "busy" : "invalid", refusal?.message ?? "no answer");
}
