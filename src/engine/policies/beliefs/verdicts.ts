import type { Decision } from "../../decision.ts";
import { usesLanes } from "../../model/settings.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { BeliefModel } from "./belief-model.ts";
import { realignEntries, realignEntry } from "./leaving.ts";

/** A passing run certifies its members and, with `canOptimisticallyMerge`, each entry ahead whose dependencies are all in the tree. */
export function concludePass(decision: Decision, run: TestRun): void {
  decision.record({
    type: "run_concluded",
    runId: run.id,
    verdict: "passed",
    reason: { code: "TESTS_PASSED" },
  });
  // For a block, it is known only later whether the test contained exactly what merges before it.
  if (!usesLanes(decision.state.settings)) return realignEntries(decision, { code: "RETESTED" });
  const model = BeliefModel.of(decision.state);
  const tree = new Set([...run.ahead, ...run.members]);
  const covered = decision.state.settings.canOptimisticallyMerge ? [...tree] : run.members;
  for (const pr of covered) {
    const track = model.track(pr);
    if (!track || track.stale.includes(run.id)) continue;
    const isMember = run.members.includes(pr);
    if (!isMember && !model.ahead(track).every((other) => tree.has(other.pr))) continue;
    certify(decision, pr, run, isMember);
  }
  for (const pr of tree) realignEntry(decision, pr, { code: "RETESTED" });
}

function certify(decision: Decision, pr: number, run: TestRun, isMember: boolean): void {
  const entry = decision.entry(pr);
  decision.record({ type: "entry_certified", pr, runId: run.id });
  if (entry.state === "tests_passed") return;
  const isTested = isMember && entry.state === "testing";
  const reason: Reason = isTested
    ? { code: "TESTS_PASSED" }
    : { code: "SUCCESSOR_PASSED", pr: run.members[0] };
  decision.move(decision.entry(pr), "tests_passed", reason);
}

/** A failing run is evidence against its whole tree. Further tests find the culprit. */
export function concludeFailure(decision: Decision, run: TestRun, reason: Reason): void {
  decision.record({ type: "run_concluded", runId: run.id, verdict: "failed", reason });
  for (const pr of run.members) realignEntry(decision, pr, { code: "RETESTED" });
}
