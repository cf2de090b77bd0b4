import { isActive, type TestRun } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";
import { paceMs } from "../beliefs/pace.ts";
import { certainty } from "../beliefs/suspicion.ts";

/** A verdict that is needed less likely than this is not worth a slot. */
const leastValue = 0.08;
/** A second test of a suspect shortens the wait for its verdict. */
const repetitionValue = 0.5;
const maxRepetitions = 2;
/** With more undecided dependencies no single outcome is likely. */
const maxOpen = 12;

export interface HedgePlan {
  readonly track: EntryEvidence;
  readonly value: number;
  /** The dependency on which it bets otherwise than the likeliest test; null = the same test once more. */
  readonly against: EntryEvidence | null;
}

/** After a hedge had to give way, none starts for a while. */
export function mayHedge(model: BeliefModel, now: number): boolean {
  const { preemptedAt } = model.state.adaptive;
  return preemptedAt === null || now - preemptedAt >= paceMs(model.state);
}

/** What idle slots could find out in advance, the likeliest to be needed first. */
export function hedges(model: BeliefModel): HedgePlan[] {
  const plans: HedgePlan[] = [];
  for (const track of model.started) plans.push(...plansFor(model, track));
  return plans.sort((a, b) => b.value - a.value);
}

function plansFor(model: BeliefModel, track: EntryEvidence): HedgePlan[] {
  const open = model.ahead(track).filter((other) => other.certificates.length === 0 && !model.isHeld(other));
  if (track.certificates.length > 0 && open.length === 0) return [];
  const isDirect = model.isDirect(track);
  if (track.suspect || isDirect) {
    const repeats =
      isDirect && model.belief(track) < certainty && model.ownRuns(track.pr).length < maxRepetitions;
    return repeats ? [{ track, value: repetitionValue, against: null }] : [];
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
    return value >= leastValue ? [{ track, value, against }] : [];
  });
}

/** The tree that a hedge tests; null when that is being tested, or has passed. */
export function hedgedTree(model: BeliefModel, { track, against }: HedgePlan): number[] | null {
  const { ahead } = model.tree([track]);
  if (!against) return ahead;
  const tree = against.suspect
    ? model.inOrder([...model.treeAhead(track), against]).map(({ pr }) => pr)
    : ahead.filter((pr) => pr !== against.pr);
  const isSame = (contains: (pr: number) => boolean) =>
    model.ahead(track).every(({ pr }) => contains(pr) === tree.includes(pr));
  const isTested = model
    .ownRuns(track.pr)
    .some((run) => isSame((pr) => run.ahead.includes(pr) || run.members.includes(pr)));
  const isProved = track.certificates.some(({ others }) => isSame((pr) => others.includes(pr)));
  return isTested || isProved ? null : tree;
}

/** The hedges under way that bet on what is not the likeliest outcome now, the least needed first. */
export function preemptible(model: BeliefModel): TestRun[] {
  return [...model.state.runs.values()]
    .filter((run) => isActive(run) && run.hedge !== undefined && !isNeeded(model, run))
    .sort((a, b) => (a.hedge?.value ?? 0) - (b.hedge?.value ?? 0));
}

/** What it bets on has become the likeliest outcome. */
function isNeeded(model: BeliefModel, run: TestRun): boolean {
  if (run.hedge?.against === null) return false;
  return run.members.some((pr) => {
    const track = model.track(pr);
    return track && model.isUpToDate(track, (other) => run.ahead.includes(other));
  });
}
