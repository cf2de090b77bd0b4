import { theQueue } from "../actor.ts";
import { ageWaiting } from "../ageing.ts";
import type { Decision } from "../decision.ts";
import type { EventData } from "../event.ts";
import type { Input } from "../input.ts";
import { sendBackEverything } from "../line.ts";
import { finishSwitching } from "../modes.ts";
import { rounds } from "../rounds.ts";
import { waitAgain } from "../run-end.ts";
import { releaseHeld, resumeDelayed } from "../speculation.ts";
import { usesBeliefs } from "../strategy.ts";
import { isActive } from "../test-run.ts";
import { formBlocks } from "./block-forming.ts";
import { startBlockRuns } from "./block-runs.ts";
import { considerWaiting } from "./considering.ts";
import { cull } from "./cull.ts";
import { interruptNeighbours } from "./interrupting.ts";
import { startAdaptiveMerge } from "./merging.ts";
import { Scene } from "./scene.ts";
import {
  cullBlockRuns,
  decideBlocks,
  interruptBlocks,
  makeWayForBlocks,
  startBlockMerge,
} from "./settle-blocks.ts";
import { startTests } from "./starting.ts";
import { convict, reviseSuspects } from "./suspicion.ts";

/**
 * Everything that can go on by itself, out at the front first, in at the back last, until nothing does; see `rounds` for the bound.
 */
export function settleAdaptive(decision: Decision, input: Input): void {
  ageWaiting(decision);
  if (input.type !== "clock" && decision.events.every(({ data }) => isQuiet(data))) return;
  for (const _ of rounds(decision)) {
    decide(decision);
    emptyForSwitching(decision);
    // From here on another mode or policy may be in force.
    finishSwitching(decision);
    if (!usesBeliefs(decision.state)) return;
    resumeDelayed(decision);
    releaseHeld(decision);
    ageWaiting(decision);
    returnStrays(decision);
    start(decision);
  }
}

/** With a new mode everything begins anew: who has a proof left of the old one is tested again. */
function returnStrays(decision: Decision): void {
  if (!decision.events.some(({ data }) => data.type === "queue_configured" && data.changes.mode)) return;
  for (const { pr, state, runId } of decision.state.entries.values()) {
    const isStray = state === "testing" || state === "tests_passed" || state === "pending_failure";
    if (isStray && runId === null) waitAgain(decision, pr, { code: "RETESTED" });
  }
}

function decide(decision: Decision): void {
  if (isSingle(decision)) {
    decideBlocks(decision);
    convict(decision, Scene.of(decision.state));
    cullBlockRuns(decision);
    return startBlockMerge(decision);
  }
  reviseSuspects(decision, Scene.of(decision.state));
  convict(decision, Scene.of(decision.state));
  cull(decision, Scene.of(decision.state));
  startAdaptiveMerge(decision, Scene.of(decision.state));
}

function start(decision: Decision): void {
  if (isSingle(decision)) {
    makeWayForBlocks(decision);
    interruptBlocks(decision);
    considerWaiting(decision);
    formBlocks(decision);
    return startBlockRuns(decision);
  }
  considerWaiting(decision);
  interruptNeighbours(decision);
  considerWaiting(decision);
  startTests(decision);
}

function isSingle({ state }: Decision): boolean {
  return state.settings.mode === "single";
}

/** Nothing follows from it but by the passing of time. */
function isQuiet(data: EventData): boolean {
  if (data.type === "entry_moved") return data.to === "testing";
  return data.type === "run_built" || data.type === "run_checked" || data.type === "entry_observed";
}

/** What only a test could bring on waits for the new mode. */
function emptyForSwitching(decision: Decision): void {
  const { status, merge, runs, line } = decision.state;
  if (status !== "switching_modes" || merge || line.length === 0 || [...runs.values()].some(isActive)) return;
  sendBackEverything(decision, { code: "RESTARTED", by: theQueue.name });
}
