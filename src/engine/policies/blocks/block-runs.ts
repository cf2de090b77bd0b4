import type { Decision } from "../../decision.ts";
import { discard } from "../../lifecycle/testing/run-end.ts";
import { isJudgedAfterBase } from "../../model/base-test.ts";
import { medianOf } from "../../model/capacity/history.ts";
import { baseTip, startsTests } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import { type Block, beliefsOf, flakeRate } from "../beliefs/belief-state.ts";
import { hasFailedOnFrozen, startRun } from "../beliefs/starting.ts";
import { type BlockOutcome, blockModelOf, membersOf, outcomes, samePath, verdictOn } from "./blocks.ts";

/** Tests of entries by themselves start before tests of paths that are less likely than this. */
const lessThanScreens = 0.7;
/** This share of the slots, and at least one, is given to such tests first. Otherwise they could wait as long as new entries arrive. */
const shareOfScreens = 0.25;
/** Only a path at least as likely as this takes a slot from another. */
const leastClaim = 0.3;
/** A run gives up its slot to a path if its own value is less than this share of the path's. */
const giveUpShare = 0.4;
/** A run that is nearly complete counts at most this many times as much as a new run. */
const mostProgress = 10;

/** Fills the slots with tests of the likeliest paths of the blocks, and with tests of entries by themselves. */
export function startBlockRuns(decision: Decision): void {
  if (!startsTests(decision.state.status) || baseTip(decision.state) === null) return;
  const paths = [...likeliestPaths(blockModelOf(decision.state))];
  const rest = paths.findIndex(({ value }) => value < lessThanScreens);
  const split = rest < 0 ? paths.length : rest;
  startScreens(decision, Math.ceil(shareOfScreens * blockModelOf(decision.state).slots.all));
  startPaths(decision, paths.slice(0, split), paths);
  startScreens(decision);
  startPaths(decision, paths.slice(split), paths);
}

/** @param all every path, including those in `wanted`, the likeliest first */
function startPaths(decision: Decision, wanted: readonly Path[], all: readonly Path[]): void {
  for (const { block, path, value } of wanted) {
    if (verdictOn(block, path) || isUnderTest(decision, block, path)) continue;
    if (blockModelOf(decision.state).slots.main === 0 && !takeSlot(decision, value, all)) return;
    const ahead = membersOf(decision.state, path);
    startRun(decision, { kind: "main", ahead, members: block.members, block: { id: block.id, path } });
  }
}

function isUnderTest({ state }: Decision, block: Block, path: readonly number[]): boolean {
  return [...state.runs.values()].some((run) => isActive(run) && isOf(run, block, path));
}

function isOf({ block: tested }: TestRun, { id }: Block, path: readonly number[]): boolean {
  return tested?.id === id && samePath(tested.path, path);
}

/** Discards the run with the least value if that is far below this value. Returns whether a slot is free now. */
function takeSlot(decision: Decision, value: number, paths: readonly Path[]): boolean {
  if (value < leastClaim) return false;
  const testMs = medianOf(decision.state.history.testMs);
  let least = value * giveUpShare;
  let found: TestRun | null = null;
  for (const run of decision.state.runs.values()) {
    if (!isActive(run) || !run.block || run.kind !== "main") continue;
    const needed = paths.find(({ block, path }) => isOf(run, block, path))?.value ?? 0;
    const worth = needed * weightOf(run, decision.context.now, testMs);
    if (worth < least) [found, least] = [run, worth];
  }
  if (found) discard(decision, found, { code: "SLOT_NEEDED" });
  return found !== null && blockModelOf(decision.state).slots.main > 0;
}

/** Returns the weight of a run in progress relative to a new run: 1 divided by the share of its test time that remains. */
function weightOf({ startedAt }: TestRun, now: number, testMs: number | null): number {
  const left = testMs === null ? 1 : 1 - (now - startedAt) / testMs;
  return 1 / Math.max(1 / mostProgress, left);
}

/** @param most the maximum number of these tests at once */
function startScreens(decision: Decision, most = Number.POSITIVE_INFINITY): void {
  const model = blockModelOf(decision.state);
  const isScreen = (run: TestRun) => isActive(run) && run.block === undefined;
  let left = most - [...decision.state.runs.values()].filter(isScreen).length;
  for (const evidence of model.inOrder(model.isolated)) {
    const slots = blockModelOf(decision.state).slots;
    if (slots.main + slots.retest === 0 || left <= 0) return;
    const entry = decision.entry(evidence.pr);
    if (entry.state !== "pending" && entry.state !== "pending_failure") continue;
    if (entry.retryAt !== null || entry.heldBehind.length > 0 || model.ownRuns(evidence.pr).length > 0)
      continue;
    if (hasFailedOnFrozen(model, evidence) || isJudgedAfterBase(decision.state, evidence.pr)) continue;
    const kind = slots.retest > 0 ? "bisection" : "main";
    startRun(decision, { kind, ahead: [], members: [evidence.pr] });
    left -= 1;
  }
}

/** A path less likely than this is not worth a slot. */
const leastValue = 0.02;
/** The probability that a member conflicts with the path, even if it has passed on another one. */
const conflictRisk = 0.015;
/** After a pass on another path, the probability of failure on this path is multiplied by this. */
const afterPass = 0.3;
/** After a failure on a part of this path, the probability of passing is multiplied by this. Not 0: the failure may have been a flake. */
const afterFailure = 0.1;

export interface Path {
  readonly block: Block;
  /** The blocks ahead that it contains, by id, in order. */
  readonly path: readonly number[];
  /** The probability that these blocks pass and that the other blocks ahead fail. */
  readonly value: number;
}

/** One possible combination of outcomes of the first blocks. */
interface Node {
  /** The index of the first block without an outcome. */
  readonly index: number;
  readonly passed: ReadonlySet<number>;
  readonly value: number;
}

/**
 * Yields the paths of all undecided blocks, the likeliest first. Each step assumes an outcome of the next block. The outcome is certain
 * if the block has been tested on exactly the blocks that pass before it.
 */
export function* likeliestPaths(model: BeliefModel): Generator<Path> {
  const { blocks } = beliefsOf(model.state);
  const known = outcomes(model.state);
  const heap: Node[] = [{ index: 0, passed: new Set(), value: 1 }];
  while (heap.length > 0) {
    const node = takeBest(heap);
    const block = blocks[node.index];
    if (!block) continue;
    const path = pathOf(block, node.passed, known);
    if (known.get(block.id) === null) yield { block, path, value: node.value };
    const chance = chanceOf(model, block, path, known.get(block.id) ?? null);
    const index = node.index + 1;
    const passing = { index, passed: new Set([...node.passed, block.id]), value: node.value * chance };
    const failing = { index, passed: node.passed, value: node.value * (1 - chance) };
    for (const next of [passing, failing]) if (next.value >= leastValue) heap.push(next);
  }
}

/** The blocks that merge before this one: those that have merged already, and those assumed to pass. */
function pathOf(
  block: Block,
  passed: ReadonlySet<number>,
  known: ReadonlyMap<number, BlockOutcome>,
): readonly number[] {
  return block.ahead.filter((id) => !block.excluded.includes(id) && (!known.has(id) || passed.has(id)));
}

/** Takes the node with the highest value; among equal ones, the first. */
function takeBest(heap: Node[]): Node {
  let best = 0;
  for (const [index, { value }] of heap.entries()) if (value > (heap[best]?.value ?? 0)) best = index;
  const [found] = heap.splice(best, 1);
  if (!found) throw new Error("there is no best of nothing");
  return found;
}

/** Returns the probability that a block passes if exactly this path has passed before it. */
function chanceOf(model: BeliefModel, block: Block, path: readonly number[], outcome: BlockOutcome): number {
  if (outcome !== null) return outcome === "passed" ? 1 : 0;
  const verdict = verdictOn(block, path);
  if (verdict) return verdict.outcome === "passed" ? 1 : 0;
  let chance = 1 - flakeRate(beliefsOf(model.state).rates);
  for (const pr of block.members) {
    const evidence = model.evidence(pr);
    chance *=
      1 - conflictRisk - (!evidence || evidence.passedInIsolation ? 0 : Math.min(0.7, model.own(evidence)));
  }
  for (const { path: tested, outcome: found } of block.verdicts) {
    if (found === "passed") chance = 1 - (1 - chance) * afterPass;
    // A block of the tested path that is missing here is assumed to fail, which explains the failure.
    else if (tested.every((id) => path.includes(id))) chance *= afterFailure;
  }
  return Math.min(0.995, chance);
}
