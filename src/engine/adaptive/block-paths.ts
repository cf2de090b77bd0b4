import type { Block } from "./adaptive-state.ts";
import { type BlockOutcome, outcomes } from "./blocks.ts";
import { flakeRate } from "./rates.ts";
import type { Scene } from "./scene.ts";

/** A path less likely than this is not worth a slot. */
const leastValue = 0.02;

export interface Path {
  readonly block: Block;
  /** The blocks ahead that it contains, by id, in order. */
  readonly path: readonly number[];
  /** How likely exactly these will have passed. */
  readonly value: number;
}

interface Choice {
  readonly id: number;
  readonly likely: boolean;
  /** What betting otherwise multiplies the value with. */
  readonly ratio: number;
}

interface Candidate {
  readonly block: Block;
  readonly sure: readonly number[];
  /** Likeliest to turn out otherwise first. */
  readonly choices: readonly Choice[];
  /** The choices bet against, by index, ascending. */
  readonly against: readonly number[];
  readonly value: number;
}

/** The paths of all undecided blocks, the likeliest to be needed first, found without listing all 2^n of them. */
export function* likeliestPaths(scene: Scene): Generator<Path> {
  const known = outcomes(scene.state);
  const chances = new Map<number, number>();
  for (const block of scene.state.adaptive.blocks) chances.set(block.id, chanceOf(scene, block));
  const heap: Candidate[] = scene.state.adaptive.blocks
    .filter(({ id }) => known.get(id) === null)
    .map((block) => beginning(block, known, chances));
  while (heap.length > 0) {
    const best = takeBest(heap);
    if (best.value < leastValue) return;
    heap.push(...next(best));
    yield { block: best.block, path: pathOf(best), value: best.value };
  }
}

function beginning(
  block: Block,
  known: ReadonlyMap<number, BlockOutcome>,
  chances: ReadonlyMap<number, number>,
): Candidate {
  const ahead = block.ahead.filter((id) => !block.excluded.includes(id));
  const choices = ahead
    .filter((id) => known.get(id) === null)
    .map((id): Choice & { readonly chance: number } => {
      const passes = chances.get(id) ?? 1;
      const chance = Math.max(passes, 1 - passes);
      return { id, likely: passes >= 0.5, chance, ratio: (1 - chance) / chance };
    })
    .sort((a, b) => b.ratio - a.ratio);
  const sure = ahead.filter((id) => known.get(id) !== null);
  const value = choices.reduce((product, { chance }) => product * chance, 1);
  return { block, sure, choices, against: [], value };
}

/** Bets against one choice more, or against the next one instead of the last. */
function next(candidate: Candidate): Candidate[] {
  const { choices, against, value } = candidate;
  const last = against.at(-1) ?? -1;
  const following = choices[last + 1];
  if (!following) return [];
  const more = { ...candidate, against: [...against, last + 1], value: value * following.ratio };
  const previous = choices[last];
  if (!previous) return [more];
  const instead = (value / Math.max(previous.ratio, 1e-12)) * following.ratio;
  return [more, { ...candidate, against: [...against.slice(0, -1), last + 1], value: instead }];
}

function pathOf({ block, sure, choices, against }: Candidate): number[] {
  const included = new Set(sure);
  for (const [index, { id, likely }] of choices.entries()) {
    if (against.includes(index) !== likely) included.add(id);
  }
  return block.ahead.filter((id) => included.has(id));
}

function takeBest(heap: Candidate[]): Candidate {
  let best = 0;
  for (const [index, { value }] of heap.entries()) if (value > (heap[best]?.value ?? 0)) best = index;
  const [found] = heap.splice(best, 1);
  if (!found) throw new Error("there is no best of nothing");
  return found;
}

/** How likely a block passes on what will have merged before it. What was said about it on other paths counts half. */
function chanceOf(scene: Scene, block: Block): number {
  let chance = 1 - flakeRate(scene.state.adaptive.rates);
  for (const pr of block.members) {
    const track = scene.track(pr);
    chance *= !track || track.screened ? 0.985 : Math.max(0.3, 0.985 - scene.own(track));
  }
  for (const { outcome } of block.verdicts) {
    chance = outcome === "passed" ? 1 - (1 - chance) * 0.3 : chance * 0.5;
  }
  return Math.min(0.995, chance);
}
