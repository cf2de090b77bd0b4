import type { Policy } from "../../policy.ts";
import { abandonRun, failRun, waitingFor, widenOrHold } from "./builds.ts";
import { beliefLinks, knownLinks } from "./explain-beliefs.ts";
import { entryLeaves, realignEntries, requeue, requeueAll } from "./leaving.ts";
import { mergeProof } from "./merge-proof.ts";
import { settleBeliefs } from "./settle.ts";
import { concludeFailure, concludePass } from "./verdicts.ts";

/** The common part of the policies `lanes` and `blocks`. They estimate the probability that each entry is at fault. */
export const beliefs: Omit<Policy, "name" | "nextDeadline"> = {
  settle: settleBeliefs,
  prepareSwitch: () => {},
  runPassed: concludePass,
  runFailed: concludeFailure,
  retestsFlakes: () => true,
  entryLeaves: entryLeaves,
  requeue: requeue,
  // A test that contains the entry still counts for its other members.
  requeueFollowers: () => {},
  requeueAll: requeueAll,
  mayBeInTest: () => true,
  waitingFor,
  abandonRun: abandonRun,
  failRun,
  buildConflict: widenOrHold,
  mergeProof: mergeProof,
  entryMerged: (decision, { pr }) => realignEntries(decision, { code: "OVERTAKEN", pr }),
  retestsPendingFailures: true,
  explain: (state, entry, now, obvious) => [
    ...(obvious ? [obvious] : beliefLinks(state, entry, now)),
    ...knownLinks(state, entry),
  ],
};
