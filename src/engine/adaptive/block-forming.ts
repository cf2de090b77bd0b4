import { leastBatch } from "../batch-size.ts";
import type { Decision } from "../decision.ts";
import { type Entry, skipsTheLine } from "../entry.ts";
import { medianOf } from "../history.ts";
import { baseTip, type QueueState, startsTests } from "../queue.ts";
import { isBeingMerged } from "../run-end.ts";
import { effective } from "../settings.ts";
import type { Track } from "./adaptive-state.ts";
import { hasRoom } from "./blocks.ts";
import { Scene } from "./scene.ts";
import { notedIn, placesIn } from "./track-index.ts";

/** Between one block and the next, as a share of the time that a test takes. */
const intervalShare = 0.12;
/** While that is not known: of tests of 25 minutes. */
const unknownIntervalMs = 3 * 60_000;
const maxMembers = 64;
/** A block is as large as leaves it this chance to pass. */
const leastChance = 0.5;
/** What is riskier is tested by itself first. */
const riskiest = 0.12;
/** What remains of the risk of what has passed by itself, and what is added to any other's: that it conflicts. */
const conflictRisk = 0.012;

/** Forms the blocks that are due, of what waits; who is too risky for company is tested by itself. */
export function formBlocks(decision: Decision): void {
  for (let formed = true; formed; ) {
    const at = formationTime(decision.state);
    formed = at !== null && at <= decision.context.now && formBlock(decision);
  }
}

/** When the next block is formed; null = there is nobody for it, or no room. */
export function formationTime(state: QueueState): number | null {
  if (!startsTests(state.status) || baseTip(state) === null || state.direct.size > 0) return null;
  const { blocks, formedAt } = state.adaptive;
  if (!hasRoom(state)) return null;
  const found = candidates(state);
  const [first] = found;
  if (!first) return null;
  const oldest = state.entries.get(first.pr);
  if (!oldest || !state.settings.batch || skipsTheLine(oldest)) return 0;
  const next = blocks.length === 0 ? 0 : (formedAt ?? 0) + interval(state);
  const isFull = found.length >= leastBatch(state.settings) || oldest.noBatch;
  const patience = effective(state.settings, "batchingMaxWaitTimeMinutes") * 60_000;
  return isFull ? next : Math.max(next, oldest.submittedAt + patience);
}

function interval({ history }: QueueState): number {
  const testMs = medianOf(history.testMs);
  return testMs === null ? unknownIntervalMs : Math.round(intervalShare * testMs);
}

const candidatesOf = new WeakMap<QueueState, readonly Track[]>();

/** What waits to be part of a block, in order; who has passed by itself comes first. */
function candidates(state: QueueState): readonly Track[] {
  const known = candidatesOf.get(state);
  if (known) return known;
  const found = findCandidates(state);
  candidatesOf.set(state, found);
  return found;
}

function findCandidates(state: QueueState): readonly Track[] {
  const found: Track[] = [];
  const { all } = notedIn(state.adaptive.tracks);
  const inBlocks = new Set(state.adaptive.blocks.flatMap(({ members }) => members));
  for (const pr of placesIn(state.waiting).keys()) {
    const track = all.get(pr);
    if (track && !track.isolated && !inBlocks.has(pr) && !isBeingMerged(state, pr)) found.push(track);
  }
  const isUrgent = ({ pr }: Track) => skipsTheLine(state.entries.get(pr) as Entry);
  const rank = (track: Track) => (isUrgent(track) ? 0 : track.screened ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b));
}

function formBlock(decision: Decision): boolean {
  const { state } = decision;
  const scene = Scene.of(state);
  const isIdle = state.adaptive.blocks.length === 0;
  const members: number[] = [];
  const risky: number[] = [];
  const left: Track[] = [];
  let chance = 1;
  let limit = maxMembers;
  for (const track of candidates(state)) {
    const entry = scene.entry(track);
    const risk = track.screened ? conflictRisk : scene.own(track) + conflictRisk;
    const fits = Math.min(limit, track.limit ?? maxMembers);
    const isAlone = !state.settings.batch || entry.noBatch || skipsTheLine(entry);
    const isTooRisky = !track.screened && risk > riskiest && state.settings.batch && !isAlone;
    if (isTooRisky && !(isIdle && members.length === 0)) risky.push(track.pr);
    else if (
      members.length === 0 ||
      (!isAlone && members.length < fits && chance * (1 - risk) >= leastChance)
    ) {
      members.push(track.pr);
      chance *= 1 - risk;
      limit = isAlone || isTooRisky ? 1 : fits;
    } else left.push(track);
  }
  // Who would wait for yet another block is not kept waiting for nothing.
  const kept = left.filter(({ screened }) => screened || left.length < 4 || !state.settings.batch);
  const isolated = [...risky, ...left.filter((track) => !kept.includes(track)).map(({ pr }) => pr)];
  if (isolated.length > 0) decision.record({ type: "entries_isolated", prs: isolated });
  if (members.length > 0) decision.record({ type: "block_formed", members });
  return members.length + isolated.length > 0;
}
