import type { BeliefModel } from "../beliefs/belief-model.ts";
import { type Block, beliefsOf } from "../beliefs/belief-state.ts";
import { flakeRate } from "../beliefs/rates.ts";
import { type BlockOutcome, outcomes, verdictOn } from "./blocks.ts";

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
  /** The probability that exactly these blocks pass. */
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
    const track = model.track(pr);
    chance *= 1 - conflictRisk - (!track || track.passedInIsolation ? 0 : Math.min(0.7, model.own(track)));
  }
  for (const { path: tested, outcome: found } of block.verdicts) {
    if (found === "passed") chance = 1 - (1 - chance) * afterPass;
    // A block of the tested path that is missing here is assumed to fail, which explains the failure.
    else if (tested.every((id) => path.includes(id))) chance *= afterFailure;
  }
  return Math.min(0.995, chance);
}
