import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { Block } from "../beliefs/belief-state.ts";
import { flakeRate } from "../beliefs/rates.ts";
import { type BlockOutcome, outcomes, verdictOn } from "./blocks.ts";

/** A path less likely than this is not worth a slot. */
const leastValue = 0.02;
/** What has passed in other company may still conflict with this one. */
const conflictRisk = 0.015;
/** How likely what has passed on another path fails on this one, relative to what is known otherwise. */
const afterPass = 0.3;
/** No failure proves everything: it may have been a flake, or a conflict with what is not in this path. */
const afterFailure = 0.1;

export interface Path {
  readonly block: Block;
  /** The blocks ahead that it contains, by id, in order. */
  readonly path: readonly number[];
  /** How likely exactly these will have passed. */
  readonly value: number;
}

/** One way in which the first blocks may turn out. */
interface Node {
  /** The block that is next to turn out. */
  readonly index: number;
  readonly passed: ReadonlySet<number>;
  readonly value: number;
}

/**
 * The paths of all undecided blocks, the likeliest to be needed first. The blocks turn out one after the other; what has been tested on
 * exactly what has passed before it is not uncertain any more.
 */
export function* likeliestPaths(model: BeliefModel): Generator<Path> {
  const { blocks } = model.state.adaptive;
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

/** Takes the most valuable node. Of equal ones, takes the first. */
function takeBest(heap: Node[]): Node {
  let best = 0;
  for (const [index, { value }] of heap.entries()) if (value > (heap[best]?.value ?? 0)) best = index;
  const [found] = heap.splice(best, 1);
  if (!found) throw new Error("there is no best of nothing");
  return found;
}

/** How likely a block passes if exactly this path has passed before it. */
function chanceOf(model: BeliefModel, block: Block, path: readonly number[], outcome: BlockOutcome): number {
  if (outcome !== null) return outcome === "passed" ? 1 : 0;
  const verdict = verdictOn(block, path);
  if (verdict) return verdict.outcome === "passed" ? 1 : 0;
  let chance = 1 - flakeRate(model.state.adaptive.rates);
  for (const pr of block.members) {
    const track = model.track(pr);
    chance *= 1 - conflictRisk - (!track || track.passedInIsolation ? 0 : Math.min(0.7, model.own(track)));
  }
  for (const { path: tested, outcome: found } of block.verdicts) {
    if (found === "passed") chance = 1 - (1 - chance) * afterPass;
    // If a block of the tested path fails in this one, it explains that failure.
    else if (tested.every((id) => path.includes(id))) chance *= afterFailure;
  }
  return Math.min(0.995, chance);
}
