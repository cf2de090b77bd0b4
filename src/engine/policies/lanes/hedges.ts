import { isActive, type TestRun } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { paceMs } from "../beliefs/slots.ts";
import { certainty } from "../beliefs/suspicion.ts";

/** A verdict is not worth a slot if the probability that it is needed is below this. */
const leastValue = 0.08;
/** The value of a repeated test of a failed entry. It shortens the wait for the verdict. */
const repetitionValue = 0.5;
const maxRepetitions = 2;
/** With more undecided dependencies, no single outcome is likely. */
const maxOpen = 12;

export interface HedgePlan {
  readonly evidence: EntryEvidence;
  readonly value: number;
  /** The dependency for which the hedge assumes the less likely outcome; null = it repeats the likeliest test. */
  readonly against: EntryEvidence | null;
}

/** Whether hedges may start. After one has been discarded for its slot, none starts for a while. */
export function mayHedge(model: BeliefModel, now: number): boolean {
  const { preemptedAt } = beliefsOf(model.state);
  return preemptedAt === null || now - preemptedAt >= paceMs(model.state);
}

/** Returns the tests that idle slots can run in advance, the likeliest to be needed first. */
export function speculativeRuns(model: BeliefModel): HedgePlan[] {
  const plans: HedgePlan[] = [];
  for (const evidence of model.started) plans.push(...plansFor(model, evidence));
  return plans.sort((a, b) => b.value - a.value);
}

function plansFor(model: BeliefModel, evidence: EntryEvidence): HedgePlan[] {
  const open = model
    .ahead(evidence)
    .filter((other) => other.certificates.length === 0 && !model.isHeld(other));
  if (evidence.certificates.length > 0 && open.length === 0) return [];
  const failedAlone = model.failedAlone(evidence);
  if (evidence.suspect || failedAlone) {
    // A proved entry that failed on top of a dependency waits until that one is decided. More failures would not change its belief.
    const isOpen = evidence.certificates.length === 0 && model.belief(evidence) < certainty;
    const repeats = failedAlone && isOpen && model.ownRuns(evidence.pr).length < maxRepetitions;
    return repeats ? [{ evidence, value: repetitionValue, against: null }] : [];
  }
  if (open.length > maxOpen) return [];
  const chances = open.map((other) => {
    const belief = model.belief(other);
    return other.suspect ? belief : 1 - belief;
  });
  const all = chances.reduce((product, chance) => product * chance, 1);
  return open.flatMap((against, index) => {
    const chance = chances[index] ?? 1;
    const value = chance === 0 ? 0 : (all / chance) * (1 - chance);
    return value >= leastValue ? [{ evidence, value, against }] : [];
  });
}

/** Returns the pull requests ahead in the tree of a hedge; null if that tree is under test, or has passed. */
export function hedgedTree(model: BeliefModel, { evidence, against }: HedgePlan): number[] | null {
  const { ahead } = model.tree([evidence]);
  if (!against) return ahead;
  const tree = against.suspect
    ? model.inOrder([...model.treeAhead(evidence), against]).map(({ pr }) => pr)
    : ahead.filter((pr) => pr !== against.pr);
  const isSame = (contains: (pr: number) => boolean) =>
    model.ahead(evidence).every(({ pr }) => contains(pr) === tree.includes(pr));
  const isTested = model
    .ownRuns(evidence.pr)
    .some((run) => isSame((pr) => run.ahead.includes(pr) || run.members.includes(pr)));
  const isProved = evidence.certificates.some(({ others }) => isSame((pr) => others.includes(pr)));
  return isTested || isProved ? null : tree;
}

/** Returns the active hedges that do not test the likeliest outcome now, the least valuable first. */
export function preemptible(model: BeliefModel): TestRun[] {
  return [...model.state.runs.values()]
    .flatMap((run) => (run.hedge && isActive(run) && !isNeeded(model, run) ? { run, hedge: run.hedge } : []))
    .sort((a, b) => a.hedge.value - b.hedge.value)
    .map(({ run }) => run);
}

/** Whether the outcome that a hedge assumes has become the likeliest one. */
function isNeeded(model: BeliefModel, run: TestRun): boolean {
  if (run.hedge?.against === null) return false;
  return run.members.some((pr) => {
    const evidence = model.evidence(pr);
    return evidence && model.isUpToDate(evidence, (other) => run.ahead.includes(other));
  });
}
