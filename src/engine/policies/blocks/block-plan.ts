import { isBeingMerged } from "../../lifecycle/run-end.ts";
import { leastBatch } from "../../model/batch-size.ts";
import { skipsTheLine } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { usableSlots } from "../../model/usable-slots.ts";
import type { Track } from "../beliefs/adaptive-state.ts";
import { Scene } from "../beliefs/scene.ts";
import { freeSlots } from "../beliefs/slots.ts";
import { notedIn, placesIn } from "../beliefs/track-index.ts";
import { mostBlocks } from "./blocks.ts";

const maxMembers = 64;

interface Limits {
  /** A block is as large as leaves it this chance to pass. */
  readonly leastChance: number;
  /** What is riskier is tested by itself first. */
  readonly riskiest: number;
}

/** With few slots, two tests of an entry cost more than the failure of a block. */
const withFewSlots: Limits = { leastChance: 0.6, riskiest: 0.5 };
const withManySlots: Limits = { leastChance: 0.5, riskiest: 0.12 };
/** What remains of the risk of what has passed by itself, and what is added to any other's: that it conflicts. */
const conflictRisk = 0.012;
/** If this many entries do not fit into a block, they are tested by themselves in the meantime. */
const manyLeft = 4;

/** The members of the next block, and the entries that are tested by themselves before they join one. */
export interface BlockPlan {
  readonly members: readonly number[];
  readonly isolated: readonly number[];
}

const plans = new WeakMap<QueueState, BlockPlan>();

export function planBlock(state: QueueState): BlockPlan {
  const known = plans.get(state);
  if (known) return known;
  const plan = makePlan(state);
  plans.set(state, plan);
  return plan;
}

const candidatesOf = new WeakMap<QueueState, readonly Track[]>();

/** What waits to be part of a block, in order; what has passed by itself comes first. */
export function candidates(state: QueueState): readonly Track[] {
  const known = candidatesOf.get(state);
  if (known) return known;
  const found = findCandidates(state);
  candidatesOf.set(state, found);
  return found;
}

/** Whether there is a free slot for each candidate. Then each is tested in a block of its own, since company only adds risk. */
export function isLight(state: QueueState): boolean {
  const isAnySize = leastBatch(state.settings) === 1;
  return isAnySize && hasFewSlots(state) && candidates(state).length <= freeSlots(state).main;
}

/** Whether every slot may test a block. With more slots than blocks, each block has to be as large and as safe as possible. */
export function hasFewSlots(state: QueueState): boolean {
  const { settings } = state;
  return settings.batch && usableSlots(state) <= mostBlocks;
}

function findCandidates(state: QueueState): readonly Track[] {
  const found: Track[] = [];
  const { all } = notedIn(state.adaptive.tracks);
  const inBlocks = new Set(state.adaptive.blocks.flatMap(({ members }) => members));
  for (const pr of placesIn(state.waiting).keys()) {
    const track = all.get(pr);
    if (track && !track.isolated && !inBlocks.has(pr) && !isBeingMerged(state, pr)) found.push(track);
  }
  const scene = Scene.of(state);
  const rank = (track: Track) => (skipsTheLine(scene.entry(track)) ? 0 : track.screened ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b));
}

function makePlan(state: QueueState): BlockPlan {
  const scene = Scene.of(state);
  const { batch } = state.settings;
  const { leastChance, riskiest } = hasFewSlots(state) ? withFewSlots : withManySlots;
  const light = isLight(state);
  const isIdle = state.adaptive.blocks.length === 0;
  const members: number[] = [];
  const risky: number[] = [];
  const left: Track[] = [];
  let chance = 1;
  let limit = batch && !light ? maxMembers : 1;
  for (const track of candidates(state)) {
    const entry = scene.entry(track);
    const risk = track.screened ? conflictRisk : scene.own(track) + conflictRisk;
    const isAlone = !batch || entry.noBatch || skipsTheLine(entry);
    const isRisky = !track.screened && risk > riskiest && !isAlone && !light;
    const isFirst = members.length === 0;
    const fits = Math.min(limit, track.limit ?? maxMembers);
    if (isRisky && !(isFirst && isIdle)) risky.push(track.pr);
    else if (isFirst || (!isAlone && members.length < fits && chance * (1 - risk) >= leastChance)) {
      members.push(track.pr);
      chance *= 1 - risk;
      limit = isAlone || isRisky ? 1 : fits;
    } else left.push(track);
  }
  const unscreened = left.filter(({ screened }) => !screened).map(({ pr }) => pr);
  const isolated = batch && !light && left.length >= manyLeft ? [...risky, ...unscreened] : risky;
  return { members, isolated: isolated.slice(0, roomForScreens(scene)) };
}

/** How many more entries can be tested by themselves at once. */
function roomForScreens(scene: Scene): number {
  const waiting = scene.isolated.filter(({ pr }) => scene.ownRuns(pr).length === 0).length;
  return Math.max(0, freeSlots(scene.state).any - waiting);
}
