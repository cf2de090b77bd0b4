import type { Decision } from "../../decision.ts";
import { requireBaseTip } from "../../model/queue.ts";
import type { StartedRun } from "../../model/test-run.ts";

/** Starts a test run on the current base. Members in `pending_failure` are `pending` again until the test commit is built. */
export function startRun(
  decision: Decision,
  run: Pick<StartedRun, "kind" | "ahead" | "members" | "block" | "hedge">,
): void {
  const { state, context } = decision;
  for (const pr of run.members) {
    const entry = decision.entry(pr);
    if (entry.state === "pending_failure") decision.move(entry, "pending", { code: "RETESTED" });
  }
  decision.record({
    type: "run_started",
    run: {
      id: context.newId(),
      bisectionId: null,
      method: state.settings.mergeMethod,
      base: requireBaseTip(state),
      ...run,
    },
  });
}
