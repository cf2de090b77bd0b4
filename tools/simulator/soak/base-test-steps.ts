import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import type { TestCommitOutcome } from "../../../src/engine/model/input.ts";
import { type TestRun, testedSha } from "../../../src/engine/model/test-run.ts";
import type { CodeHost } from "./code-host.ts";
import type { QueueUnderSoak } from "./queue-under-soak.ts";

/** Performs the next step of the test of the base at the code host or in CI. Returns false if there is none. */
export function advanceBaseTest(queue: QueueUnderSoak, host: CodeHost, n: number): boolean {
  const run = queue.state.baseTest;
  if (!run) return false;
  if (run.state === "building")
    queue.takeTwice({ type: "test_commit_concluded", runId: run.id, outcome: built(host, run, n) });
  else queue.takeTwice({ type: "checks_observed", runId: run.id, checks: reported(host, run, n) });
  return true;
}

function built(host: CodeHost, run: TestRun, n: number): TestCommitOutcome {
  if (n % 11 === 3) return { kind: "infrastructure_error", message: "out of order" };
  return n % 11 === 5 ? { kind: "no_required_checks" } : host.buildBase(run);
}

/** In some cases CI has not finished, is cancelled, or fails although the base is good. */
function reported(host: CodeHost, run: TestRun, n: number): CheckFact[] {
  const isGood = host.isGreen(host.contentOf(testedSha(run) ?? run.base));
  const conclusion = isGood && n % 7 !== 2 ? "success" : n % 7 === 4 ? "cancelled" : "failure";
  if (n % 7 === 6) return [check("build", null)];
  return [check("build", conclusion), check("lint", "success")];
}

function check(name: string, conclusion: string | null): CheckFact {
  const status = conclusion === null ? "in_progress" : "completed";
  return { kind: "check_run", name, appId: null, suiteId: 1, id: 1, status, conclusion, url: null };
}
