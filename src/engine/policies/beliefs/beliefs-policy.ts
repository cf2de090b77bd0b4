import type { Policy } from "../../policy.ts";
import { abandonAdaptive, failRun, waitingFor, widenOrHold } from "./builds.ts";
import { adaptiveLinks, knownLinks } from "./explain-adaptive.ts";
import { dropOut, stand, startOver, startOverAll } from "./leaving.ts";
import { mergedByCertificate } from "./merge-proof.ts";
import { settleAdaptive } from "./settle.ts";
import { failAdaptive, passAdaptive } from "./verdicts.ts";

/** What the policies `lanes` and `blocks` have in common: they estimate how likely each entry is at fault, given every test so far. */
export const beliefs: Omit<Policy, "name" | "nextDeadline"> = {
  settle: settleAdaptive,
  prepareSwitch: () => {},
  runPassed: passAdaptive,
  runFailed: failAdaptive,
  retestsFlakes: () => true,
  entryLeaves: dropOut,
  requeue: startOver,
  // A test that contains the entry still counts for its other members.
  requeueFollowers: () => {},
  requeueAll: startOverAll,
  mayBeInTest: () => true,
  waitingFor,
  abandonRun: abandonAdaptive,
  failRun,
  buildConflict: widenOrHold,
  mergeProof: mergedByCertificate,
  entryMerged: (decision, { pr }) => stand(decision, { code: "OVERTAKEN", pr }),
  retestsPendingFailures: true,
  explain: (state, entry, now, obvious) => [
    ...(obvious ? [obvious] : adaptiveLinks(state, entry, now)),
    ...knownLinks(state, entry),
  ],
};
