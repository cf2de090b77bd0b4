import type { Decision } from "../decision.ts";
import type { Observation } from "../model/input.ts";
import type { OrderedWork } from "../model/wait.ts";

/** Takes note of why ordered work has to wait. What is obsolete, or known, says nothing. */
export function postpone(
  decision: Decision,
  { work, id, wait }: Extract<Observation, { type: "work_postponed" }>,
): void {
  const { runs, merge, waits } = decision.state;
  const run = runs.get(id);
  const building = work === "build" && run?.state === "building" ? run.members : null;
  const prs = work === "merge" && merge?.id === id ? merge.steps.map(({ pr }) => pr) : building;
  if (prs === null || JSON.stringify(waits[work]) === JSON.stringify(wait)) return;
  decision.record({ type: "work_postponed", work, prs, wait });
}

/** It has come to an end, whatever that is. */
export function resume(decision: Decision, work: OrderedWork): void {
  if (decision.state.waits[work]) decision.record({ type: "work_resumed", work });
}
