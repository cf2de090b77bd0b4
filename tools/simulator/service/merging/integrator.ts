import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { MergeOutcome } from "../../../../src/engine/model/merge-attempt.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type { MergeGate, MergePlan } from "../../../../src/ports/code-host/merge-plan.ts";
import type { TestCommitPlan, TestCommitResult } from "../../../../src/ports/code-host/test-commit-plan.ts";
import { createRandomSource } from "../../../../src/replay/workload/random-source.ts";
import type { ServicePlan } from "../service-plan.ts";
import type { VirtualCi } from "../virtual-ci.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { adapterIntegrator } from "./adapter-integrator.ts";
import { AsyncMerges } from "./async-merges.ts";
import { MergeEffects } from "./merge-effects.ts";
import type { MergingOctokitParts } from "./merging-octokit.ts";
import { OwnBranches } from "./own-branches.ts";
import { simulatedIntegrator } from "./simulated-integrator.ts";

/** Builds test commits and merges. */
export interface Integrator {
  buildTestCommit(repo: InstalledRepository, plan: TestCommitPlan): Promise<TestCommitResult>;
  merge(repo: InstalledRepository, plan: MergePlan, gate: MergeGate): Promise<MergeOutcome>;
}

/** What the code host knows, and what it does when a pull request has merged. */
export interface IntegratorHooks {
  readonly facts: (pr: number) => PullRequestFacts;
  /** The test branches, by name. */
  readonly branches: Map<string, string>;
  readonly onMerged: (pr: number) => void;
  /** Is called when a client merges a pull request of which it was not told whether it has what the rules demand of people. */
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

/** How long GitHub takes for an asynchronous merge: mostly moments, and now and then a minute. */
function drawMergeMs(random: () => number): number {
  const [chance, share] = [random(), random()];
  return 200 + share * (chance < 0.8 ? 3_000 : 60_000);
}

/** The way in which test commits are built and pull requests merged in a life. */
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
