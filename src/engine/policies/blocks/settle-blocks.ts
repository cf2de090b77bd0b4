import type { Decision } from "../../decision.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import { skipsTheLine } from "../../model/entry.ts";
import { isBeingMerged, mayMerge, remainingAhead } from "../../model/order/dependencies.ts";

import { baseTip, requireRun, startsTests } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { type Block, beliefsOf } from "../beliefs/belief-state.ts";
import { realignEntries } from "../beliefs/verdicts.ts";
import { stepsTogether } from "../lanes/merging.ts";
import { dissolve } from "./block-end.ts";
import { hasFewSlots } from "./block-plan.ts";
import { type BlockOutcome, blockModelOf, blockOf, isPossible, outcomes, verdictOn } from "./blocks.ts";

/** Records the outcome of each block that has passed or failed on exactly the blocks that merge before it. */
export function decideBlocks(decision: Decision): void {
  for (const { id } of beliefsOf(decision.state).blocks) {
    const block = beliefsOf(decision.state).blocks.find((one) => one.id === id);
    const outcome = outcomes(decision.state).get(id);
    if (!block || !outcome) continue;
    const path = block.ahead.filter((other) => !block.excluded.includes(other));
    const verdict = verdictOn(block, path);
    if (!verdict) continue;
    const run = requireRun(decision.state, verdict.runId);
    // A block that has merged in part may be excluded. The verdict of a run without it then does not hold for the present base.
    if (remainingAhead(decision.state, run) === null) {
      discard(decision, run, { code: "RETESTED" });
      continue;
    }
    if (outcome === "passed") certifyAll(decision, block, run);
    else isolateAll(decision, block, run);
  }
}

function certifyAll(decision: Decision, block: Block, run: TestRun): void {
  for (const pr of block.members) {
    const evidence = beliefsOf(decision.state).tracks.get(pr);
    if (!evidence || evidence.certificates.some((certificate) => certificate.runId === run.id)) continue;
    decision.record({ type: "entry_certified", pr, runId: run.id });
    const entry = decision.entry(pr);
    if (entry.state === "tests_passed") continue;
    const isOwn = entry.state === "testing" && run.members.includes(pr);
    const reason: Reason = isOwn
      ? { code: "TESTS_PASSED" }
      : { code: "SUCCESSOR_PASSED", pr: run.members[0] };
    decision.move(entry, "tests_passed", reason);
  }
}

/** Fails a block. If it has one member, this is evidence against the member; the members of a larger block are tested by themselves. */
function isolateAll(decision: Decision, block: Block, run: TestRun): void {
  const only = block.members.length === 1 ? block.members[0] : undefined;
  if (only !== undefined && run.failure) {
    decision.record({ type: "entry_incriminated", pr: only, runId: run.id });
  }
  // With few slots, members that have passed by themselves are not tested by themselves again: it would take a slot and prove nothing new.
  // With many slots they are, because blocks of half the size would take the places of larger ones.
  const keepsScreened = hasFewSlots(decision.state) ? ({ keepsScreened: true } as const) : {};
  decision.record({ type: "block_failed", blockId: block.id, ...keepsScreened });
  for (const pr of block.members) {
    const entry = decision.entry(pr);
    if (pr !== only || !run.failure || entry.runId !== run.id) waitAgain(decision, pr, { code: "RETESTED" });
    else if (entry.state === "testing") decision.move(entry, "pending_failure", run.failure);
  }
}

/** Discards active runs whose paths are no longer possible, and ended runs whose verdicts are no longer needed. */
export function cullBlockRuns(decision: Decision): void {
  const known = outcomes(decision.state);
  for (const run of decision.state.runs.values()) {
    if (isActive(run) ? !tellsSomething(decision, run, known) : !isKept(decision, run)) {
      discard(decision, run, { code: "VERDICT_KNOWN" });
    }
  }
  realignEntries(decision, { code: "RETESTED" });
}

function tellsSomething(
  { state }: Decision,
  run: TestRun,
  known: ReadonlyMap<number, BlockOutcome>,
): boolean {
  if (!run.block) return run.members.some((pr) => beliefsOf(state).tracks.get(pr)?.isolated);
  const { id, path } = run.block;
  const block = beliefsOf(state).blocks.find((one) => one.id === id);
  return block !== undefined && known.get(id) === null && isPossible(block, path, known);
}

function isKept({ state }: Decision, run: TestRun): boolean {
  if (state.merge?.steps.some((step) => step.runId === run.id)) return true;
  if (beliefsOf(state).blocks.some(({ verdicts }) => verdicts.some(({ runId }) => runId === run.id)))
    return true;
  return [...run.ahead, ...run.members].some((pr) => {
    const entry = state.entries.get(pr);
    if (entry?.state === "pending_failure" && entry.runId === run.id) return true;
    const evidence = beliefsOf(state).tracks.get(pr);
    return evidence?.certificates.some(({ runId }) => runId === run.id) ?? false;
  });
}

/** Orders the merge of the first block's members once it has passed. */
export function startBlockMerge(decision: Decision): void {
  const { state, context } = decision;
  const base = baseTip(state);
  const [block] = beliefsOf(state).blocks;
  if (state.merge || base === null || !block) return;
  if (!block.members.every((pr) => mayMerge(state, decision.entry(pr)))) return;
  const model = blockModelOf(state);
  const [first] = block.members;
  const certificate = model.evidence(first)?.certificates.at(-1);
  if (!certificate) return;
  const run = requireRun(state, certificate.runId);
  const { steps, composed } = stepsTogether(model, run, block.members);
  decision.record({
    type: "merge_started",
    attempt: { id: context.newId(), method: run.method, base, steps, composed },
  });
}

/** Makes way for an urgent entry: dissolves the undecided blocks, so that their members are tested behind it. */
export function interruptBlocks(decision: Decision): void {
  const { state } = decision;
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent) || !startsTests(state.status) || blockOf(state, urgent.pr)) return;
  // If the urgent entry is to be tested by itself, it only needs a slot.
  if (beliefsOf(state).tracks.get(urgent.pr)?.isolated) return;
  for (const block of beliefsOf(state).blocks.toReversed()) {
    const isDecided = block.members.some(
      (pr) => (beliefsOf(state).tracks.get(pr)?.certificates.length ?? 0) > 0,
    );
    const isUrgent = block.members.some((pr) => skipsTheLine(decision.entry(pr)));
    const isOver = isDecided && (state.freeze === null || isMerging(decision, block));
    if (!isOver && !isUrgent) dissolve(decision, block, { code: "INTERRUPTED_BY_URGENT", pr: urgent.pr });
  }
}

/** During a freeze, dissolves the blocks that merge only after the freeze, and are ahead of an urgent entry or contain it. */
export function makeWayForBlocks(decision: Decision): void {
  const { freeze, status } = decision.state;
  const { blocks } = beliefsOf(decision.state);
  if (freeze === null || !startsTests(status)) return;
  const isUrgent = (pr: number) => skipsTheLine(decision.entry(pr));
  const last = blocks.findLast(({ members }) => members.some(isUrgent));
  const urgent = last?.members.find(isUrgent);
  if (last === undefined || urgent === undefined) return;
  const before = blocks.slice(0, blocks.indexOf(last) + 1);
  for (const block of before.toReversed()) {
    if (block.members.every(isUrgent) || isMerging(decision, block)) continue;
    dissolve(decision, block, { code: "INTERRUPTED_BY_URGENT", pr: urgent });
  }
}

function isMerging({ state }: Decision, { members }: Block): boolean {
  return members.some((pr) => isBeingMerged(state, pr));
}
