import type { Decision } from "../../decision.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import type { Entry } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/dependencies.ts";
import { runOf } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { type Block, beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { blockModelOf, blockOf } from "./blocks.ts";

/** Dissolves the blocks of these pull requests, and discards every run that contains such a block. The members wait again. */
export function dissolveBlocksWith(decision: Decision, prs: readonly number[], reason: Reason): void {
  for (const pr of prs) {
    const block = blockOf(decision.state, pr);
    if (block) dissolve(decision, block, reason);
  }
}

/** Dissolves the blocks behind the block of an entry. The entry keeps its place, so that they are tested on top of it again. */
export function dissolveBehind(decision: Decision, pr: number): void {
  const { blocks } = beliefsOf(decision.state);
  const index = blocks.findIndex(({ members }) => members.includes(pr));
  if (index < 0) return;
  for (const block of blocks.slice(index + 1).toReversed())
    dissolve(decision, block, { code: "AHEAD_RESTARTED", pr });
}

/** @param leaving the member that leaves the queue, and therefore does not wait again */
export function dissolve(decision: Decision, block: Block, reason: Reason, leaving?: number): void {
  decision.record({ type: "block_dissolved", blockId: block.id });
  const merging = decision.state.merge?.steps.map(({ runId }) => runId) ?? [];
  for (const run of decision.state.runs.values()) {
    if (isAbout(run, block.id) && !merging.includes(run.id)) discard(decision, run, reason);
  }
  for (const pr of block.members) {
    if (pr !== leaving && !isBeingMerged(decision.state, pr)) waitAgain(decision, pr, reason);
  }
}

function isAbout({ block }: TestRun, id: number): boolean {
  return block !== undefined && (block.id === id || block.path.includes(id));
}

/** Updates the state of an entry whose block, or whose test by itself, is undecided. */
export function alignInBlock(decision: Decision, entry: Entry, evidence: EntryEvidence): void {
  const { state } = decision;
  if (evidence.certificates.length > 0) return;
  if (entry.state !== "tests_passed" && blockModelOf(state).ownRuns(entry.pr).length > 0) return;
  const run = runOf(state, entry);
  if (entry.state === "testing" && run?.failure) decision.move(entry, "pending_failure", run.failure);
  else if (entry.state === "testing" && (!run || !blockOf(state, entry.pr))) {
    waitAgain(decision, entry.pr, { code: evidence.passedInIsolation ? "PASSED_ALONE" : "RETESTED" });
  } else if (entry.state === "tests_passed" || (entry.state === "pending_failure" && !run)) {
    waitAgain(decision, entry.pr, { code: "RETESTED" });
  }
}
