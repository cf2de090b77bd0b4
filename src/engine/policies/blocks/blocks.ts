import { memoizeByState } from "../../collections/caches.ts";
import { usableSlots } from "../../model/capacity/slots.ts";
import type { QueueState } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import { BeliefModel } from "../beliefs/belief-model.ts";
import { type Block, beliefsOf, type EntryEvidence, type Verdict } from "../beliefs/belief-state.ts";

/**
 * The maximum number of blocks in the line, which is also at most the number of slots. Without batching, each block has one entry, and
 * the maximum is the number of slots, but at least this.
 */
export const mostBlocks = 10;

/** The outcome of a block; null while it is undecided. */
export type BlockOutcome = "passed" | "failed" | null;

/** Returns the outcomes of the blocks in the line, in order. A block that is gone has merged, or the blocks behind it exclude it. */
export function outcomes(state: QueueState): Map<number, BlockOutcome> {
  const found = new Map<number, BlockOutcome>();
  for (const block of beliefsOf(state).blocks) found.set(block.id, outcomeOf(block, found));
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

/** Whether it is still possible that exactly these blocks ahead pass. */
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

/** Returns the path on which a passing run has tested one of the blocks in its own path. */
export function impliedPath(block: Block, path: readonly number[], state: QueueState): number[] {
  const live = new Set(beliefsOf(state).blocks.map(({ id }) => id));
  return block.ahead.filter((id) => !block.excluded.includes(id) && (path.includes(id) || !live.has(id)));
}

/** Whether another block may be formed. With batching, no block is formed without a slot for it, because a later block can be larger. */
export function hasRoom(state: QueueState): boolean {
  const { settings, freeze } = state;
  const slots = usableSlots(state);
  const depth = settings.batch ? Math.min(mostBlocks, slots) : Math.max(mostBlocks, slots);
  // During a freeze, blocks that passed stay in the line, and must not prevent the tests of other entries.
  const counted =
    freeze === null
      ? beliefsOf(state).blocks
      : [...outcomes(state).values()].filter((outcome) => outcome === null);
  return counted.length < depth;
}

export function blockOf(state: QueueState, pr: number): Block | undefined {
  return beliefsOf(state).blocks.find(({ members }) => members.includes(pr));
}

/** Returns the members of a path that have not merged yet, in order. */
export function membersOf(state: QueueState, path: readonly number[]): number[] {
  return beliefsOf(state)
    .blocks.filter(({ id }) => path.includes(id))
    .flatMap(({ members }) => members);
}

/** The risk of a conflict, because it is unknown which entries may conflict. */
const conflictRisk = 0.03;

class BlockModel extends BeliefModel {
  /**
   * Tests of entries by themselves do not run in addition to the tests that `concurrency` allows. There are many of them, and CI seldom
   * serves the sum of both settings, so that every test would take longer (ADR 84).
   */
  protected override get mostTests(): number {
    const { settings } = this.state;
    return Math.max(settingInUse(settings, "concurrency"), settingInUse(settings, "bisectionConcurrency"));
  }

  /** In a serial queue without batches, waiting for a second failure gains nothing. */
  override get evictsAtOnce(): boolean {
    const { settings } = this.state;
    return settingInUse(settings, "concurrency") === 1 && !settings.batch;
  }

  override unmergedAhead({ pr }: EntryEvidence): number[] {
    const { blocks } = beliefsOf(this.state);
    const block = blockOf(this.state, pr);
    return block ? blocks.slice(0, blocks.indexOf(block)).flatMap(({ members }) => members) : [];
  }

  override slotsFor(): number {
    return this.slots.main;
  }

  protected override expect(evidence: EntryEvidence): number {
    return Math.min(0.9, this.own(evidence) + conflictRisk);
  }
}

export const blockModelOf = memoizeByState((state: QueueState): BeliefModel => new BlockModel(state));
