import { freeSlots } from "../../model/capacity/usable-slots.ts";
import type { Policy } from "../../policy.ts";
import { batchDeadline } from "./batching.ts";
import { breakOffIdle } from "./bisection.ts";
import { abandonRun, decidesAbout, failRun, holdOrFail } from "./builds.ts";
import { fixedLinks } from "./explain-fixed.ts";
import { entryLeaves, requeue, requeueAll, requeueFollowers } from "./leaving.ts";
import { finishMerged, mergeProof } from "./merging.ts";
import { settle } from "./settle.ts";
import { runFailed, runPassed, runReopened } from "./verdicts.ts";

/**
 * Tests entries in the order of the queue, each on top of the entries ahead that it depends on, and bisects failed batches. In `single`
 * mode an entry depends on everything ahead of it; in `parallel` mode, on the entries that impact a common target.
 */
export const fixed: Policy = {
  name: "fixed",
  settle,
  prepareSwitch: breakOffIdle,
  runPassed,
  runFailed,
  runReopened,
  // A bisection evicts its culprit. Other failures are doubted, or stand as CI reports them.
  retestsFlakes: ({ kind }) => kind === "bisection",
  entryLeaves,
  requeue,
  requeueFollowers,
  requeueAll,
  mayBeInTest: ({ runId, bisectionId }) => runId !== null || bisectionId !== null,
  decidesAbout,
  waitingFor: decidesAbout,
  abandonRun,
  failRun,
  buildConflict: holdOrFail,
  mergeProof,
  entryMerged: finishMerged,
  freeSlots,
  retestsPendingFailures: false,
  explain: (state, entry, now, obvious) => (obvious ? [obvious] : fixedLinks(state, entry, now)),
  nextDeadline: (state) => (freeSlots(state) > 0 ? batchDeadline(state) : null),
};
