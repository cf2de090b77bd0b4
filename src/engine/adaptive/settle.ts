import { theQueue } from "../actor.ts";
import { ageWaiting } from "../ageing.ts";
import type { Decision } from "../decision.ts";
import { sendBackEverything } from "../line.ts";
import { finishSwitching } from "../modes.ts";
import { releaseHeld, resumeDelayed } from "../speculation.ts";
import { isActive } from "../test-run.ts";
import { formBlocks } from "./block-forming.ts";
import { cull } from "./cull.ts";
import { interruptNeighbours } from "./interrupting.ts";
import { startAdaptiveMerge } from "./merging.ts";
import { Scene } from "./scene.ts";
import {
  cullBlockRuns,
  decideBlocks,
  interruptBlocks,
  startBlockMerge,
  startBlockRuns,
} from "./settle-blocks.ts";
import { considerWaiting, startTests } from "./starting.ts";
import { convict, reviseSuspects } from "./suspicion.ts";

/** Everything that can go on by itself, until nothing does. */
export function settleAdaptive(decision: Decision): void {
  if (decision.state.settings.mode === "single") return settleInBlocks(decision);
  for (let before = -1; before < decision.events.length; ) {
    before = decision.events.length;
    considerWaiting(decision);
    reviseSuspects(decision, new Scene(decision.state));
    convict(decision, new Scene(decision.state));
    cull(decision, new Scene(decision.state));
    startAdaptiveMerge(decision, new Scene(decision.state));
    emptyForSwitching(decision);
    finishSwitching(decision);
    resumeDelayed(decision);
    releaseHeld(decision);
    ageWaiting(decision);
    interruptNeighbours(decision);
    startTests(decision);
  }
}

function settleInBlocks(decision: Decision): void {
  for (let before = -1; before < decision.events.length; ) {
    before = decision.events.length;
    considerWaiting(decision);
    decideBlocks(decision);
    convict(decision, new Scene(decision.state));
    cullBlockRuns(decision);
    startBlockMerge(decision);
    emptyForSwitching(decision);
    finishSwitching(decision);
    resumeDelayed(decision);
    releaseHeld(decision);
    ageWaiting(decision);
    interruptBlocks(decision);
    formBlocks(decision);
    startBlockRuns(decision);
  }
}

/** What only a test could bring on waits for the new mode. */
function emptyForSwitching(decision: Decision): void {
  const { status, merge, runs, line } = decision.state;
  if (status !== "switching_modes" || merge || line.length === 0 || [...runs.values()].some(isActive)) return;
  sendBackEverything(decision, { code: "RESTARTED", by: theQueue.name });
}
