import { createBeliefPolicy } from "../beliefs/beliefs-policy.ts";
import { considerWaiting } from "../beliefs/considering.ts";
import { realignEntries } from "../beliefs/leaving.ts";
import { convict } from "../beliefs/suspicion.ts";
import { alignInBlock } from "./block-end.ts";
import { formationTime, formBlocks } from "./block-forming.ts";
import { blockModelOf } from "./block-model.ts";
import { startBlockRuns } from "./block-runs.ts";
import { blockVerdictLinks, blockWaitLinks } from "./explain-blocks.ts";
import {
  cullBlockRuns,
  decideBlocks,
  interruptBlocks,
  makeWayForBlocks,
  startBlockMerge,
} from "./settle-blocks.ts";

/** Estimates faults in `single` mode: the line consists of blocks, each tested and merged together. */
export const blocks = createBeliefPolicy(
  { name: "blocks", nextDeadline: formationTime },
  {
    modelOf: blockModelOf,
    mayStart: () => true,
    decide(decision) {
      decideBlocks(decision);
      convict(decision, blockModelOf(decision.state));
      cullBlockRuns(decision);
      startBlockMerge(decision);
    },
    start(decision) {
      makeWayForBlocks(decision);
      interruptBlocks(decision);
      considerWaiting(decision);
      formBlocks(decision);
      startBlockRuns(decision);
    },
    // It is known only later whether the test contained exactly what merges before the block.
    runPassed: (decision) => realignEntries(decision, { code: "RETESTED" }),
    align: alignInBlock,
    holdsOnConflict: () => true,
    waitLinks: blockWaitLinks,
    verdictLinks: blockVerdictLinks,
  },
);
