import type { Decision } from "../../decision.ts";
import { leastBatch } from "../../model/capacity/batch-size.ts";
import { skipsTheLine } from "../../model/entry.ts";
import { baseTip, type QueueState, startsTests } from "../../model/queue.ts";
import { effective } from "../../model/settings.ts";
import { requireMembers } from "../../model/test-run.ts";
import { beliefsOf } from "../beliefs/belief-state.ts";
import { paceMs } from "../beliefs/pace.ts";
import { candidates, isLight, planBlock } from "./block-plan.ts";
import { hasRoom } from "./blocks.ts";

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
  const patience = effective(state.settings, "batchingMaxWaitTimeMinutes") * 60_000;
  return isFull ? next : Math.max(next, oldest.submittedAt + patience);
}
