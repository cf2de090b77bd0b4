import type { Decision } from "../../decision.ts";
import { discard } from "../../lifecycle/testing/run-end.ts";
import { isJudgedAfterBase } from "../../model/base-test.ts";
import { medianOf } from "../../model/capacity/history.ts";
import { baseTip, startsTests } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Block } from "../beliefs/belief-state.ts";
import { hasFailedOnFrozen, startRun } from "../beliefs/start-run.ts";
import { blockModelOf } from "./block-model.ts";
import { likeliestPaths, type Path } from "./block-paths.ts";
import { membersOf, samePath, verdictOn } from "./blocks.ts";

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
  for (const track of model.inOrder(model.isolated)) {
    const slots = blockModelOf(decision.state).slots;
    if (slots.main + slots.retest === 0 || left <= 0) return;
    const entry = decision.entry(track.pr);
    if (entry.state !== "pending" && entry.state !== "pending_failure") continue;
    if (entry.retryAt !== null || entry.heldBehind.length > 0 || model.ownRuns(track.pr).length > 0) continue;
    if (hasFailedOnFrozen(model, track) || isJudgedAfterBase(decision.state, track.pr)) continue;
    const kind = slots.retest > 0 ? "bisection" : "main";
    startRun(decision, { kind, ahead: [], members: [track.pr] });
    left -= 1;
  }
}
