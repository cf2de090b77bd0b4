import type { Decision } from "../../decision.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { arrangementOf } from "./arrangement.ts";
import { realignEntry } from "./leaving.ts";

export function concludePass(decision: Decision, run: TestRun): void {
  decision.record({
    type: "run_concluded",
    runId: run.id,
    verdict: "passed",
    reason: { code: "TESTS_PASSED" },
  });
  arrangementOf(decision).runPassed(decision, run);
}

/** A failing run is evidence against its whole tree. Further tests find the culprit. */
export function concludeFailure(decision: Decision, run: TestRun, reason: Reason): void {
  decision.record({ type: "run_concluded", runId: run.id, verdict: "failed", reason });
  for (const pr of run.members) realignEntry(decision, pr, { code: "RETESTED" });
}
