import type { Decision } from "../../decision.ts";
import type { Observation } from "../../model/input.ts";
import type { OrderedWork } from "../../model/order/wait.ts";

/** Records why ordered work has to wait. Obsolete and repeated reports change nothing. */
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

/** Clears the recorded wait of ordered work, because the work goes on or has ended. */
export function resume(decision: Decision, work: OrderedWork): void {
  if (decision.state.waits[work]) decision.record({ type: "work_resumed", work });
}
