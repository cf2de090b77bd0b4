import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/withdrawal.ts";
import type { MergedStep, MergeOutcome } from "../../../../src/engine/model/merge-attempt.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/pull-request-facts.ts";
import type { MergeGate, MergePlan } from "../../../../src/ports/code-host/merge-plan.ts";
import type { CodeHost } from "../../soak/code-host.ts";
import { VirtualFailure } from "../virtual-calls.ts";
import { headOf } from "../virtual-heads.ts";
import type { VirtualRepository } from "../virtual-repository.ts";

interface VirtualMergingParts {
  readonly model: CodeHost;
  readonly repository: VirtualRepository;
  readonly facts: (pr: number) => PullRequestFacts;
  /** Calls of the code host: one that reads, and one that changes something. */
  readonly ask: <T>(name: string, answer: () => T) => Promise<T>;
  readonly change: <T>(name: string, effect: () => T) => Promise<T>;
  readonly onMerged: (pr: number) => void;
}

/** Merges pull requests, one step after another, as the rules of the code host allow. */
export class VirtualMerging {
  readonly #parts: VirtualMergingParts;
  readonly #merged = new Map<number, MergedStep>();

  constructor(parts: VirtualMergingParts) {
    this.#parts = parts;
  }

  async merge(plan: MergePlan, gate: MergeGate): Promise<MergeOutcome> {
    const { facts, ask, change } = this.#parts;
    const merged: MergedStep[] = [];
    for (const [index, step] of plan.steps.entries()) {
      const done = await ask("merge: look", () => this.#merged.get(step.pr) ?? null);
      if (done) {
        merged.push(done);
        continue;
      }
      const seen = await ask("merge: look", () => ({
        tip: this.#tipOf(plan),
        facts: facts(step.pr),
      }));
      const expected = merged.at(-1)?.sha ?? plan.base;
      if (!isMergeable(seen.facts, plan.branch, step.headSha))
        return { merged, stop: { kind: "withdrawn", pullRequest: seen.facts } };
      if (seen.tip !== expected) return { merged, stop: { kind: "base_moved", actual: seen.tip } };
      if (!(await gate.call(index + 1))) return { merged, stop: null };
      const result = await change("merge", () => this.#mergeNow(plan, index, expected));
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
