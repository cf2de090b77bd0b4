import type { Decision } from "../../decision.ts";
import type { ChecksVerdict } from "../../model/checks/required-checks.ts";
import { checksToPass, missingUntil } from "../../model/checks/run-checks.ts";
import { effective } from "../../model/settings.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { abandonRun, failRun, retryBrokenRun } from "./retry.ts";

/**
 * Watches for required checks that have not appeared although everything else on the test branch has ended. The wait restarts whenever
 * something runs there or one of the checks appears, so that a job that starts late is not taken for one that never starts. After the
 * wait, every entry that the run decides about is evicted. No culprit is searched, because the cause is not in one of the entries.
 */
export function followMissingChecks(
  decision: Decision,
  run: TestRun,
  { pending, missing }: ChecksVerdict,
  isQuiet: boolean,
): void {
  const names = isQuiet && pending.length === 0 ? missing : [];
  if (names.join("\n") !== (run.missing?.names ?? []).join("\n")) {
    const { id: runId, members: prs } = run;
    return decision.record({ type: "run_missing_checks", runId, prs, names });
  }
  const until = missingUntil(decision.state.settings, run);
  if (until === null || decision.context.now < until) return;
  const late = lateChecks(run, names);
  if (late) return abandonRun(decision, run, late, "AHEAD_RESTARTED");
  if (isOutage(decision, run, names)) {
    const message = `nothing reported on the test branch: ${names.join(", ")}`;
    if (retryBrokenRun(decision, run, message)) return;
  }
  const minutes = effective(decision.state.settings, "missingCheckMinutes");
  const reason: Reason = { code: "REQUIRED_CHECK_MISSING", names, minutes };
  failRun(decision, run, reason);
}

/** Whether no required check has appeared, although CI has reported all of them before. CI may have lost the push, so a retry may help. */
function isOutage({ state }: Decision, run: TestRun, names: readonly string[]): boolean {
  const required = checksToPass(state, run);
  return names.length === required.length && names.every((name) => state.checkMemory.heard.includes(name));
}

/** Why a run is given up that waits only for checks that were not required when it was built; null = it waits for others, or for none. */
export function lateChecks({ changed }: TestRun, open: readonly string[]): Reason | null {
  if (!changed || open.length === 0 || !open.every((name) => changed.added.includes(name))) return null;
  const { added, removed, at } = changed;
  return { code: "REQUIRED_CHECKS_CHANGED", added, removed, at };
}
