import type { QueueState } from "../../model/queue.ts";
import { usableSlots } from "../../model/usable-slots.ts";
import type { Block, Verdict } from "../beliefs/belief-state.ts";

/** This many undecided blocks stand in the line at most, and no more than there are slots; where blocks are of one entry, as many as there are slots. */
export const mostBlocks = 10;

/** What becomes of a block once that is known; null = not yet. */
export type BlockOutcome = "passed" | "failed" | null;

/** The outcomes of the blocks in the line, in order. Blocks that are gone have merged, or are excluded by those behind them. */
export function outcomes({ adaptive }: QueueState): Map<number, BlockOutcome> {
  const found = new Map<number, BlockOutcome>();
  for (const block of adaptive.blocks) found.set(block.id, outcomeOf(block, found));
  return found;
}

function outcomeOf(block: Block, before: ReadonlyMap<number, BlockOutcome>): BlockOutcome {
  const path: number[] = [];
  for (const id of block.ahead) {
    if (before.get(id) === null) return null;
    if (!block.excluded.includes(id)) path.push(id);
  }
  return verdictOn(block, path)?.outcome ?? null;
}

export function verdictOn(block: Block, path: readonly number[]): Verdict | null {
  return block.verdicts.find((verdict) => samePath(verdict.path, path)) ?? null;
}

export function samePath(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** Whether it may still turn out that exactly these blocks ahead pass. */
export function isPossible(
  block: Block,
  path: readonly number[],
  known: ReadonlyMap<number, BlockOutcome>,
): boolean {
  return block.ahead.every((id) => {
    if (block.excluded.includes(id)) return !path.includes(id);
    const isDecided = !known.has(id) || known.get(id) === "passed";
    return path.includes(id) || !isDecided;
  });
}

/** What a green run on this path says about the blocks ahead that it contains. */
export function impliedPath(block: Block, path: readonly number[], state: QueueState): number[] {
  const live = new Set(state.adaptive.blocks.map(({ id }) => id));
  return block.ahead.filter((id) => !block.excluded.includes(id) && (path.includes(id) || !live.has(id)));
}

/** Whether another block may be formed. With batches, one that had no slot would only be smaller than if it were formed later. */
export function hasRoom(state: QueueState): boolean {
  const { adaptive, settings, freeze } = state;
  const slots = usableSlots(state);
  const depth = settings.batch ? Math.min(mostBlocks, slots) : Math.max(mostBlocks, slots);
  // What has passed stays in the line until a freeze ends, and must not keep others from being tested.
  const counted =
    freeze === null ? adaptive.blocks : [...outcomes(state).values()].filter((outcome) => outcome === null);
  return counted.length < depth;
}

export function blockOf({ adaptive }: QueueState, pr: number): Block | undefined {
  return adaptive.blocks.find(({ members }) => members.includes(pr));
}

/** What of a path has not merged yet, in order. */
export function membersOf({ adaptive }: QueueState, path: readonly number[]): number[] {
  return adaptive.blocks.filter(({ id }) => path.includes(id)).flatMap(({ members }) => members);
}
