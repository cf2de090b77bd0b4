import { offTheLine, update } from "../../fold/entry-index.ts";
import type { Entry } from "../../model/entry.ts";
import type { Event } from "../../model/event.ts";
import type { QueueState } from "../../model/queue.ts";
import { isActive } from "../../model/test-run.ts";
import type { PolicyFold } from "../../policy-fold.ts";
import { type BeliefState, beliefsOf, withBeliefs } from "./belief-state.ts";

/**
 * Returns the fold of a policy that uses beliefs. Several runs may test an entry. When the run of an entry ends, the entry is assigned to
 * another one.
 */
export function createBeliefFold(
  beliefsAfter: (before: QueueState, after: QueueState, event: Event) => BeliefState,
): PolicyFold {
  return {
    entryRequeued: onItsNextRun,
    runDiscarded(state, { id, ahead, members }) {
      let next: QueueState = state;
      for (const pr of [...ahead, ...members]) {
        const entry = next.entries.get(pr);
        if (entry?.runId === id) next = onItsNextRun(next, entry);
      }
      return next;
    },
    learn: (before, after, event) => ({
      ...after,
      policyMemory: withBeliefs(after.policyMemory, beliefsAfter(before, after, event)),
    }),
  };
}

/** Assigns an entry to another run that proves it, or to an active one that decides about it. Without one, the entry leaves the line. */
function onItsNextRun(state: QueueState, { pr, runId, state: at }: Entry): QueueState {
  const next = (at === "tests_passed" ? proofOf(state, pr) : null) ?? otherRunOf(state, pr);
  if (next === null) return offTheLine(state, pr);
  return next === runId ? state : update(state, pr, { runId: next });
}

function proofOf({ runs, policyMemory }: QueueState, pr: number): string | null {
  const certificates = beliefsOf({ policyMemory }).tracks.get(pr)?.certificates ?? [];
  return certificates.find(({ runId }) => runs.has(runId))?.runId ?? null;
}

/** Returns the active run with the smallest id that decides about an entry, so that the result does not depend on the order of runs. */
function otherRunOf({ runs }: QueueState, pr: number): string | null {
  let found: string | null = null;
  for (const run of runs.values()) {
    if (isActive(run) && run.members.includes(pr) && (found === null || run.id < found)) found = run.id;
  }
  return found;
}
