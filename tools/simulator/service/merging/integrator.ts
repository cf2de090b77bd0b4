import type { MergeOutcome } from "../../../../src/engine/model/merge-attempt.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/pull-request-facts.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type { MergeGate, MergePlan } from "../../../../src/ports/code-host/merge-plan.ts";
import { createRandomSource } from "../../../../src/replay/workload/random-source.ts";
import type { ServicePlan } from "../service-plan.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { AsyncMerges } from "./async-merges.ts";
import { mergeByAdapter } from "./merge-by-adapter.ts";
import { MergeEffects } from "./merge-effects.ts";
import { VirtualMerging } from "./virtual-merging.ts";
import type { OctokitParts } from "./virtual-octokit.ts";

export type Merger = (repo: InstalledRepository, plan: MergePlan, gate: MergeGate) => Promise<MergeOutcome>;

/** What the code host knows, and what it does when a pull request has merged. */
export interface MergerHooks {
  readonly facts: (pr: number) => PullRequestFacts;
  readonly onMerged: (pr: number) => void;
}

type MergerParts = Omit<OctokitParts, "effects" | "asyncMerges" | "facts" | "now"> & {
  readonly time: VirtualTime;
  readonly plan: Pick<ServicePlan, "seed" | "mergesByAdapter">;
};

/** How long GitHub takes for an asynchronous merge: mostly moments, and now and then a minute. */
function drawMergeMs(random: () => number): number {
  const [chance, share] = [random(), random()];
  return 200 + share * (chance < 0.8 ? 3_000 : 60_000);
}

/** The way in which the pull requests of a life are merged. */
export function mergerOf({ time, plan, ...parts }: MergerParts, { facts, onMerged }: MergerHooks): Merger {
  const { model, repository, calls } = parts;
  if (!plan.mergesByAdapter) {
    const ask = <T>(name: string, answer: () => T) => calls.read(name, answer);
    const change = <T>(name: string, effect: () => T) => calls.change(name, effect);
    const merging = new VirtualMerging({ model, repository, facts, ask, change, onMerged });
    return (_repo, ordered, gate) => merging.merge(ordered, gate);
  }
  const random = createRandomSource(plan.seed * 413_158_523 + 53);
  const effects = new MergeEffects({ model, repository, facts, onMerged });
  const asyncMerges = new AsyncMerges(effects, time, () => drawMergeMs(random));
  const all = { ...parts, now: () => time.now(), facts, effects, asyncMerges };
  return (repo, ordered, gate) => mergeByAdapter(all, repo, ordered, gate);
}
