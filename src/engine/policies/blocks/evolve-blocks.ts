import { isTerminal } from "../../model/entry.ts";
import type { Event, EventOf } from "../../model/event.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Members, TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import {
  afterFlake,
  type BeliefState,
  type Block,
  type EntryEvidence,
  type Verdict,
} from "../beliefs/belief-state.ts";
import { checksOf, incriminate } from "../beliefs/evidence.ts";
import { beliefsAfter, considerAlone } from "../beliefs/evolve-beliefs.ts";

import { impliedPath, verdictOn } from "./blocks.ts";

/** Returns the evidence in `single` mode after an event, given the states before and after it. */
export function blocksAfter(before: QueueState, after: QueueState, event: Event): BeliefState {
  const known = beliefsAfter(before, after, event);
  const { data, at } = event;
  switch (data.type) {
    case "entries_considered":
      return considerAlone(after, known, data.prs);
    case "run_concluded":
      return conclude(after, known, data);
    case "run_discarded":
      return { ...known, blocks: withoutVerdictsOf(known.blocks, data.runId) };
    case "run_requirements_changed":
      return data.reopens ? { ...known, blocks: withoutVerdictsOf(known.blocks, data.runId) } : known;
    case "entry_incriminated":
      return accuse(after, known, data.runId);
    case "entries_isolated":
      return changeAll(known, data.prs, (evidence) => ({
        ...evidence,
        isolated: true,
        passedInIsolation: false,
      }));
    case "entry_moved":
      return isTerminal(data.to) || data.to === "not_ready"
        ? { ...known, blocks: withoutMember(known.blocks, data.pr) }
        : known;
    case "block_formed":
      return formBlock(known, data.members, at);
    case "block_failed":
      return failBlock(known, data.blockId, data.keepsScreened === true);
    case "block_dissolved":
      return dissolveBlock(known, data.blockId);
    default:
      return known;
  }
}

function conclude(
  state: QueueState,
  known: BeliefState,
  { runId, verdict, reason }: EventOf<"run_concluded">,
): BeliefState {
  const run = state.runs.get(runId);
  if (!run) return known;
  return run.block ? concludeBlock(state, known, run, verdict) : concludeScreen(known, run, verdict, reason);
}

function accuse(state: QueueState, known: BeliefState, runId: string): BeliefState {
  const run = state.runs.get(runId);
  return run?.failure
    ? { ...known, tracks: incriminate(known.tracks, run, run.failure) ?? known.tracks }
    : known;
}

function formBlock(known: BeliefState, members: Members, at: number): BeliefState {
  const id = known.blocksFormed + 1;
  const ahead = known.blocks.map((block) => block.id);
  const blocks = [...known.blocks, { id, members, ahead, excluded: [], verdicts: [] }];
  return { ...known, blocks, blocksFormed: id, formedAt: at };
}

/**
 * Removes a failed block. Its members may only join blocks half as large from now on, and are tested by themselves first.
 *
 * @param keepsScreened members that have passed by themselves are not tested by themselves again, if the block had other members
 */
function failBlock(known: BeliefState, id: number, keepsScreened: boolean): BeliefState {
  const { members } = requireBlock(known, id);
  return changeAll(withoutBlock(known, id), members, (evidence) => ({
    ...evidence,
    ...(keepsScreened && evidence.passedInIsolation && members.length > 1
      ? {}
      : { isolated: true, passedInIsolation: false }),
    limit: Math.max(1, Math.ceil(Math.min(members.length, evidence.limit ?? members.length) / 2)),
  }));
}

function dissolveBlock(known: BeliefState, id: number): BeliefState {
  const index = known.blocks.indexOf(requireBlock(known, id));
  const from = known.blocks.slice(index).flatMap(({ members }) => members);
  // Blocks behind it that passed did so on top of it.
  return changeAll(withoutBlock(known, id), from, (evidence) => ({ ...evidence, certificates: [] }));
}

function requireBlock({ blocks }: BeliefState, id: number): Block {
  const block = blocks.find((one) => one.id === id);
  if (!block) throw new Error(`block ${id} is not in the queue`);
  return block;
}

/** Removes a block. The blocks behind exclude it, and lose the verdicts of runs that contained it. */
function withoutBlock(known: BeliefState, id: number): BeliefState {
  const blocks = known.blocks
    .filter((block) => block.id !== id)
    .map((block) =>
      block.ahead.includes(id)
        ? {
            ...block,
            excluded: [...block.excluded, id],
            verdicts: block.verdicts.filter(({ path }) => !path.includes(id)),
          }
        : block,
    );
  return { ...known, blocks };
}

/** Removes a member that has merged or left the queue, and its block if no member remains. */
function withoutMember(blocks: readonly Block[], pr: number): readonly Block[] {
  if (!blocks.some(({ members }) => members.includes(pr))) return blocks;
  return blocks.flatMap((block) => {
    const [first, ...others] = block.members.filter((member) => member !== pr);
    return first === undefined ? [] : [{ ...block, members: [first, ...others] }];
  });
}

/** Removes the verdicts of a discarded run, because its commits cannot be merged any more. */
function withoutVerdictsOf(blocks: readonly Block[], id: string): readonly Block[] {
  const isOf = ({ runId }: Verdict) => runId === id;
  if (!blocks.some(({ verdicts }) => verdicts.some(isOf))) return blocks;
  return blocks.map((block) => ({
    ...block,
    verdicts: block.verdicts.filter((verdict) => !isOf(verdict)),
  }));
}

/** Records a verdict on a block. With `canOptimisticallyMerge`, a passing run also counts for the blocks ahead that it contains. */
function concludeBlock(
  state: QueueState,
  known: BeliefState,
  { id: runId, block: tested }: TestRun,
  outcome: Verdict["outcome"],
): BeliefState {
  if (!tested) return known;
  const implies = outcome === "passed" && state.settings.canOptimisticallyMerge;
  const blocks = known.blocks.map((block) => {
    const isTested = block.id === tested.id;
    if (!isTested && !(implies && tested.path.includes(block.id))) return block;
    const path = isTested ? tested.path : impliedPath(block, tested.path, state);
    const others = block.verdicts.filter((verdict) => verdict.path.join() !== path.join());
    // Its own run may outlive the run of a block behind it.
    if (!isTested && verdictOn(block, path)?.outcome === "passed") return block;
    return { ...block, verdicts: [...others, { path, outcome, runId }] };
  });
  const { rates } = known;
  return { ...known, blocks, rates: outcome === "passed" ? { ...rates, runs: rates.runs + 1 } : rates };
}

/** Records the verdict on an entry that was tested by itself, on the base: a failure is the fault of the entry, or a flake. */
function concludeScreen(
  known: BeliefState,
  run: TestRun,
  verdict: "passed" | "failed",
  reason: Reason,
): BeliefState {
  if (verdict === "failed")
    return { ...known, tracks: incriminate(known.tracks, run, reason) ?? known.tracks };
  const [pr] = run.members;
  const reds = known.tracks.get(pr)?.reds ?? [];
  const checks = [...new Set(reds.flatMap(({ failure }) => checksOf(failure)))];
  const rates = reds.length > 0 ? afterFlake(known.rates, checks) : known.rates;
  const next = { ...known, rates: { ...rates, runs: rates.runs + 1 } };
  return changeAll(next, run.members, (evidence) => ({
    ...evidence,
    reds: [],
    isolated: false,
    passedInIsolation: true,
  }));
}

function changeAll(
  known: BeliefState,
  prs: readonly number[],
  change: (evidence: EntryEvidence) => EntryEvidence,
): BeliefState {
  let { tracks } = known;
  for (const pr of prs) {
    const evidence = tracks.get(pr);
    if (evidence) tracks = tracks.with(pr, change(evidence));
  }
  return { ...known, tracks };
}
