import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/readiness.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { MergedStep, MergeOutcome } from "../../../../src/engine/model/merge-attempt.ts";
import type { TestCommit } from "../../../../src/engine/model/test-run.ts";
import type { MergeGate, MergePlan } from "../../../../src/ports/code-host/merge-plan.ts";
import type { TestCommitPlan, TestCommitResult } from "../../../../src/ports/code-host/test-commit-plan.ts";
import type { CodeHost } from "../../soak/code-host.ts";
import { type VirtualCalls, VirtualFailure } from "../virtual-calls.ts";
import type { VirtualCi } from "../virtual-ci.ts";
import { headOf, shaOf } from "../virtual-heads.ts";
import type { VirtualRepository } from "../virtual-repository.ts";
import type { Integrator, IntegratorHooks } from "./integrator.ts";

interface SimulatedIntegratorParts extends IntegratorHooks {
  readonly model: CodeHost;
  readonly ci: VirtualCi;
  readonly calls: VirtualCalls;
  readonly repository: VirtualRepository;
}

/** The code host in the adapter's place: each build is one call, and each merge a few. */
export function simulatedIntegrator(parts: SimulatedIntegratorParts): Integrator {
  const merging = new SimulatedMerging(parts);
  return {
    buildTestCommit: (_repo, plan) => parts.calls.change("buildTestCommit", () => build(plan, parts)),
    merge: (_repo, plan, gate) => merging.merge(plan, gate),
  };
}

function build(plan: TestCommitPlan, { model, ci, branches }: SimulatedIntegratorParts): TestCommitResult {
  const [step] = plan.steps;
  const isOfBase = step !== undefined && step.headSha === plan.parentSha;
  // A commit that is merged into itself; a test of the base names its tree.
  if (isOfBase && step.treeSha === null) return { kind: "empty", pr: step.pr };
  const heads = new Map(plan.steps.map(({ pr, headSha }) => [pr, headOf(headSha)]));
  const [first, ...more] = plan.steps.map(({ pr }) => pr);
  if (first === undefined) throw new Error("a test commit has no step");
  const run = { id: plan.branch, base: plan.parentSha, ahead: [], members: [first, ...more] as const };
  const built = isOfBase ? model.buildBase(run) : model.build(run, (pr) => heads.get(pr) ?? "");
  if (built.kind !== "built") return built as TestCommitResult;
  const sha = built.commits.at(-1)?.commitSha ?? "";
  ci.test(sha, model.contentOf(sha));
  branches.set(plan.branch, sha);
  const nameHead = (commit: TestCommit) => ({ ...commit, headSha: shaOf(commit.headSha) });
  return { kind: "built", commits: isOfBase ? built.commits : built.commits.map(nameHead) };
}

/** Merges pull requests, one step after another, as the rules of the code host allow. */
class SimulatedMerging {
  readonly #parts: SimulatedIntegratorParts;
  readonly #merged = new Map<number, MergedStep>();

  constructor(parts: SimulatedIntegratorParts) {
    this.#parts = parts;
  }

  async merge(plan: MergePlan, gate: MergeGate): Promise<MergeOutcome> {
    const { facts, calls } = this.#parts;
    const merged: MergedStep[] = [];
    for (const [index, step] of plan.steps.entries()) {
      const done = await calls.read("merge: look", () => this.#merged.get(step.pr) ?? null);
      if (done) {
        merged.push(done);
        continue;
      }
      const seen = await calls.read("merge: look", () => ({
        tip: this.#tipOf(plan),
        facts: facts(step.pr),
      }));
      const expected = merged.at(-1)?.sha ?? plan.base;
      if (!isMergeable(seen.facts, plan.branch, step.headSha))
        return { merged, stop: { kind: "withdrawn", pullRequest: seen.facts } };
      if (seen.tip !== expected) return { merged, stop: { kind: "base_moved", actual: seen.tip } };
      await gate.notDone(index);
      if (!(await gate.call(index + 1))) return { merged, stop: null };
      const result = await calls.change("merge", () => this.#mergeNow(plan, index, expected));
      if (result === "base_moved") {
        await gate.notDone(index);
        return { merged, stop: { kind: "base_moved", actual: this.#tipOf(plan) } };
      }
      // The adapter looks once more when the code host refuses a merge.
      if (result === "not_mergeable") {
        await gate.notDone(index);
        return { merged, stop: { kind: "withdrawn", pullRequest: facts(step.pr) } };
      }
      merged.push(result);
    }
    return { merged, stop: null };
  }

  /** The tip of the branch of a plan, which may have been renamed since. */
  #tipOf({ branch }: MergePlan): string {
    const { model, repository } = this.#parts;
    const base = repository.baseNamed(branch);
    if (base === null) throw new VirtualFailure("not_found", "merge: there is no such branch");
    return model.tipOf(base);
  }

  #mergeNow(plan: MergePlan, index: number, expected: string): MergedStep | "base_moved" | "not_mergeable" {
    const { model, facts, onMerged } = this.#parts;
    const step = plan.steps[index];
    if (!step) throw new Error("a merge has no step");
    const before = this.#merged.get(step.pr);
    if (before) return before;
    if (!isMergeable(facts(step.pr), plan.branch, step.headSha)) return "not_mergeable";
    if (this.#tipOf(plan) !== expected) return "base_moved";
    const { baseBranch } = model.pullRequest(step.pr);
    const done = model.merge({ ...step, headSha: headOf(step.headSha) }, plan, baseBranch);
    this.#merged.set(step.pr, done);
    onMerged(step.pr);
    return done;
  }
}

function isMergeable(facts: PullRequestFacts, baseBranch: string, headSha: string): boolean {
  return facts.state === "open" && withdrawalOf({ headSha, baseBranch }, facts) === null;
}
