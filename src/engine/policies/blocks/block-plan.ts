import { memoizeByState } from "../../collections/caches.ts";
import type { Decision } from "../../decision.ts";
import { leastBatch, usableSlots } from "../../model/capacity/slots.ts";
import { skipsTheLine } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/dependencies.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import { requireMembers } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { evidenceIndexOf, placesIn } from "../beliefs/evidence.ts";
import { paceMs } from "../beliefs/slots.ts";
import { blockModelOf, hasRoom, mostBlocks } from "./blocks.ts";

const maxMembers = 64;

interface Limits {
  /** A block grows while its probability of passing is at least this. */
  readonly leastChance: number;
  /** An entry riskier than this is tested by itself first. */
  readonly riskiest: number;
}

/** With few slots, two tests of an entry cost more than the failure of a block. */
const withFewSlots: Limits = { leastChance: 0.6, riskiest: 0.5 };
const withManySlots: Limits = { leastChance: 0.5, riskiest: 0.12 };
/** The risk of a conflict. It is the whole risk of an entry that has passed by itself, and is added to the risk of any other. */
const conflictRisk = 0.012;
/**
 * If at least this many entries do not fit into the block, those that have not passed by themselves are tested by themselves in the
 * meantime.
 */
const manyLeft = 4;

/** The members of the next block, and the entries that are tested by themselves before they join one. */
export interface BlockPlan {
  readonly members: readonly number[];
  readonly isolated: readonly number[];
}

export const planBlock = memoizeByState(makePlan);

/** Returns the waiting entries that may join a block, in order: urgent ones first, then those that have passed by themselves. */
export const candidates = memoizeByState(findCandidates);

/** Whether there is a free slot for each candidate. Each is then tested in a block of its own, since other members only add risk. */
export function isLight(state: QueueState): boolean {
  const isAnySize = leastBatch(state.settings) === 1;
  return isAnySize && hasFewSlots(state) && candidates(state).length <= blockModelOf(state).slots.main;
}

/** Whether there are at most as many slots as blocks. With more slots, each block has to be as large and as safe as possible. */
export function hasFewSlots(state: QueueState): boolean {
  const { settings } = state;
  return settings.batch && usableSlots(state) <= mostBlocks;
}

function findCandidates(state: QueueState): readonly EntryEvidence[] {
  const found: EntryEvidence[] = [];
  const { all } = evidenceIndexOf(beliefsOf(state).tracks);
  const inBlocks = new Set(beliefsOf(state).blocks.flatMap(({ members }) => members));
  for (const pr of placesIn(state.waiting).keys()) {
    const evidence = all.get(pr);
    if (evidence && !evidence.isolated && !inBlocks.has(pr) && !isBeingMerged(state, pr))
      found.push(evidence);
  }
  const model = blockModelOf(state);
  const rank = (evidence: EntryEvidence) =>
    skipsTheLine(model.entry(evidence)) ? 0 : evidence.passedInIsolation ? 1 : 2;
  return found.sort((a, b) => rank(a) - rank(b));
}

function makePlan(state: QueueState): BlockPlan {
  const model = blockModelOf(state);
  const { batch } = state.settings;
  const { leastChance, riskiest } = hasFewSlots(state) ? withFewSlots : withManySlots;
  const light = isLight(state);
  const isIdle = beliefsOf(state).blocks.length === 0;
  const members: number[] = [];
  const risky: number[] = [];
  const left: EntryEvidence[] = [];
  let chance = 1;
  let limit = batch && !light ? maxMembers : 1;
  for (const evidence of candidates(state)) {
    const entry = model.entry(evidence);
    const risk = evidence.passedInIsolation ? conflictRisk : model.own(evidence) + conflictRisk;
    const isAlone = !batch || entry.noBatch || skipsTheLine(entry);
    const isRisky = !evidence.passedInIsolation && risk > riskiest && !isAlone && !light;
    const isFirst = members.length === 0;
    const fits = Math.min(limit, evidence.limit ?? maxMembers);
    if (isRisky && !(isFirst && isIdle)) risky.push(evidence.pr);
    else if (isFirst || (!isAlone && members.length < fits && chance * (1 - risk) >= leastChance)) {
      members.push(evidence.pr);
      chance *= 1 - risk;
      limit = isAlone || isRisky ? 1 : fits;
    } else left.push(evidence);
  }
  const untested = left.filter(({ passedInIsolation }) => !passedInIsolation).map(({ pr }) => pr);
  const isolated = batch && !light && left.length >= manyLeft ? [...risky, ...untested] : risky;
  return { members, isolated: isolated.slice(0, roomForScreens(model)) };
}

/** Returns how many more entries can be tested by themselves now. */
function roomForScreens(model: BeliefModel): number {
  const waiting = model.isolated.filter(({ pr }) => model.ownRuns(pr).length === 0).length;
  return Math.max(0, model.slots.any - waiting);
}

/** Forms the blocks that are due from waiting entries. An entry that is too risky for a shared block is tested by itself. */
export function formBlocks(decision: Decision): void {
  for (let formed = true; formed; ) {
    const at = formationTime(decision.state);
    formed = at !== null && at <= decision.context.now;
    if (formed) formBlock(decision);
  }
}

function formBlock(decision: Decision): void {
  const { members, isolated } = planBlock(decision.state);
  if (isolated.length > 0) decision.record({ type: "entries_isolated", prs: isolated });
  if (members.length > 0) decision.record({ type: "block_formed", members: requireMembers(members) });
}

/** Returns when the next block is due, in milliseconds since the epoch; null if none can be formed now. */
export function formationTime(state: QueueState): number | null {
  if (!startsTests(state.status) || baseTip(state) === null || state.direct.size > 0) return null;
  const { blocks, formedAt } = beliefsOf(state);
  if (!hasRoom(state)) return null;
  const found = candidates(state);
  const [first] = found;
  if (!first) return null;
  const { members, isolated } = planBlock(state);
  if (members.length + isolated.length === 0) return null;
  const oldest = state.entries.get(first.pr);
  if (!oldest || !state.settings.batch || skipsTheLine(oldest)) return 0;
  const next = blocks.length === 0 || isLight(state) ? 0 : (formedAt ?? 0) + paceMs(state);
  const isFull = found.length >= leastBatch(state.settings) || oldest.noBatch;
  const patience = settingInUse(state.settings, "batchingMaxWaitTimeMinutes") * 60_000;
  return isFull ? next : Math.max(next, oldest.submittedAt + patience);
}
