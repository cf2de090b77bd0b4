import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/readiness.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { MergedStep, MergeOutcome } from "../../../../src/engine/model/merge-attempt.ts";
import type { TestCommit } from "../../../../src/engine/model/test-run.ts";
import { NodeIds } from "../../../../src/github/client/node-ids.ts";
import { merge } from "../../../../src/github/merging/merge.ts";
import { buildTestCommit } from "../../../../src/github/test-commits/build-test-commit.ts";
import { HeadStacker } from "../../../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../../../src/github/test-commits/update-refs.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type {
  MergeGate,
  MergePlan,
  TestCommitPlan,
  TestCommitResult,
} from "../../../../src/ports/code-host/merging.ts";
import { createRandomSource } from "../../../../src/replay/workload/random-source.ts";
import type { CodeHost } from "../../soak/code-host.ts";
import { throwing } from "../octokit/octokit-calls.ts";
import type { ServicePlan } from "../service-plan.ts";
import { type VirtualCalls, VirtualFailure } from "../virtual-calls.ts";
import type { VirtualCi } from "../virtual-ci.ts";
import { headOf, shaOf } from "../virtual-pull-requests.ts";
import { perProcess } from "../virtual-replicas.ts";
import type { VirtualRepository } from "../virtual-repository.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { AsyncMerges, MergeEffects } from "./merge-effects.ts";

import { OwnBranches } from "./merging-calls.ts";
import { MergingOctokit, type MergingOctokitParts } from "./merging-octokit.ts";

/** Builds test commits and merges. */
export interface Integrator {
  buildTestCommit(repo: InstalledRepository, plan: TestCommitPlan): Promise<TestCommitResult>;
  merge(repo: InstalledRepository, plan: MergePlan, gate: MergeGate): Promise<MergeOutcome>;
}

/** The code host's data, and its actions after a merge. */
export interface IntegratorHooks {
  readonly facts: (pr: number) => PullRequestFacts;
  /** The test branches, by name. */
  readonly branches: Map<string, string>;
  readonly onMerged: (pr: number) => void;
  /** Called when a client merges a pull request without knowing whether it has what the rules demand of people. */
  readonly onBlindMerge: (pr: number) => void;
}

type IntegratorParts = Pick<
  MergingOctokitParts,
  "model" | "repository" | "calls" | "past" | "dependencies"
> & {
  readonly ci: VirtualCi;
  readonly time: VirtualTime;
  readonly plan: Pick<ServicePlan, "seed" | "mergesByAdapter" | "objections">;
};

/** How long GitHub takes for an asynchronous merge: mostly moments, and sometimes a minute. */
function drawMergeMs(random: () => number): number {
  const [chance, share] = [random(), random()];
  return 200 + share * (chance < 0.8 ? 3_000 : 60_000);
}

/** How test commits are built and pull requests are merged in a life. */
export function integratorOf({ time, plan, ...parts }: IntegratorParts, hooks: IntegratorHooks): Integrator {
  const { facts, branches, onMerged, onBlindMerge } = hooks;
  const { model, repository, ci } = parts;
  if (!plan.mergesByAdapter) return simulatedIntegrator({ ...parts, ...hooks });
  const random = createRandomSource(plan.seed * 413_158_523 + 53);
  const effects = new MergeEffects({ model, repository, facts, onMerged, onBlindMerge });
  return adapterIntegrator({
    ...parts,
    ...{ now: () => time.now(), facts, effects },
    own: new OwnBranches({ model, ci, branches }),
    demandsResolution:
      plan.seed % 2 === 0 || plan.objections.some(({ code }) => code === "CONVERSATIONS_OPEN"),
    asyncMerges: new AsyncMerges(effects, time, () => drawMergeMs(random)),
  });
}

/** The service's own adapter for GitHub, whose calls are simulated one by one. */
function adapterIntegrator(parts: MergingOctokitParts): Integrator {
  const stacker = perProcess(() => new HeadStacker(OwnBranches.scratchPrefix, new RefUpdater(new NodeIds())));
  return {
    buildTestCommit: (repo, plan) => throwing(() => buildTestCommit(apiOf(repo), stacker(), plan)),
    merge: (repo, plan, gate) => throwing(() => merge(apiOf(repo), stacker(), plan, gate)),
  };

  function apiOf(repo: InstalledRepository) {
    return { octokit: new MergingOctokit(parts, repo).client, at: { owner: repo.owner, repo: repo.name } };
  }
}

interface SimulatedIntegratorParts extends IntegratorHooks {
  readonly model: CodeHost;
  readonly ci: VirtualCi;
  readonly calls: VirtualCalls;
  readonly repository: VirtualRepository;
}

/** Replaces the adapter by the simulated code host: each build is one call, and each merge a few. */
function simulatedIntegrator(parts: SimulatedIntegratorParts): Integrator {
  const merging = new SimulatedMerging(parts);
  return {
    buildTestCommit: (_repo, plan) => parts.calls.change("buildTestCommit", () => build(plan, parts)),
    merge: (_repo, plan, gate) => merging.merge(plan, gate),
  };
}

function build(plan: TestCommitPlan, { model, ci, branches }: SimulatedIntegratorParts): TestCommitResult {
  const [step] = plan.steps;
  const isOfBase = step !== undefined && step.headSha === plan.parentSha;
  // A commit that is merged into itself. A test of the base names its tree.
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

/** Merges pull requests one after another, as far as the rules of the code host allow. */
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
      // Like the adapter, which reads once more when the code host refuses a merge.
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
