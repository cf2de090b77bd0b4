import type { QueueState } from "../../model/queue.ts";
import type { PolicyFold } from "../../policy-fold.ts";
import { beliefsAfter } from "./evolve-beliefs.ts";
import { onItsNextRun } from "./next-run.ts";

/** Several runs may test an entry. When the run of an entry ends, the entry is assigned to another one. */
export const beliefsFold: PolicyFold = {
  entryRequeued: onItsNextRun,
  runDiscarded(state, { id, ahead, members }) {
    let next: QueueState = state;
    for (const pr of [...ahead, ...members]) {
      const entry = next.entries.get(pr);
      if (entry?.runId === id) next = onItsNextRun(next, entry);
    }
    return next;
  },
  learn: (before, after, event) => ({ ...after, policyMemory: beliefsAfter(before, after, event) }),
};
