import type { Policy } from "../../policy.ts";
import type { Arrangement, BeliefPolicy } from "./arrangement.ts";
import { abandonRun, failRun, waitingFor, widenOrHold } from "./builds.ts";
import { beliefLinks, knownLinks } from "./explain-beliefs.ts";
import { entryLeaves, prepareSwitch, realignEntries, requeue, requeueAll } from "./leaving.ts";
import { settleBeliefs } from "./settle.ts";
import { concludeFailure, concludePass, mergeProof, takeBackVerdict } from "./verdicts.ts";

/** Returns a policy that estimates the probability that each entry is at fault. */
export function createBeliefPolicy(
  { name, nextDeadline }: Pick<Policy, "name" | "nextDeadline">,
  arrangement: Arrangement,
): BeliefPolicy {
  return {
    name,
    nextDeadline,
    arrangement,
    settle: settleBeliefs,
    prepareSwitch,
    runPassed: concludePass,
    runFailed: concludeFailure,
    runReopened: takeBackVerdict,
    retestsFlakes: () => true,
    entryLeaves,
    requeue,
    // A test that contains the entry still counts for its other members.
    requeueFollowers: () => {},
    requeueAll,
    mayBeInTest: () => true,
    decidesAbout: (_state, { members }) => members,
    waitingFor: (state, run) => waitingFor(arrangement.modelOf(state), run),
    abandonRun,
    failRun,
    buildConflict: widenOrHold,
    mergeProof,
    entryMerged: (decision, { pr }) => realignEntries(decision, { code: "OVERTAKEN", pr }),
    freeSlots: (state) => arrangement.modelOf(state).slots.main,
    retestsPendingFailures: true,
    explain: (state, entry, now, obvious) => [
      ...(obvious ? [obvious] : beliefLinks(arrangement, state, entry, now)),
      ...knownLinks(arrangement, state, entry),
    ],
  };
}
