import type { Decision } from "../decision.ts";
import { checksToPass } from "../model/checks/accepted-checks.ts";
import { missingUntil } from "../model/checks/missing-until.ts";
import type { ChecksVerdict } from "../model/checks/required-checks.ts";
import { effective } from "../model/settings.ts";
import type { TestRun } from "../model/test-run.ts";
import type { Reason } from "../reasons/reason.ts";
import { failRun, retryBrokenRun } from "./retry.ts";

/**
 * Follows the required checks that have not appeared while everything else on the test branch is over. The time begins again whenever
 * something runs there or one of them appears, so that a job which starts late is not taken for one that never does. When it is over,
 * every pull request that the run decides about leaves: the cause is not in one of them, so that no culprit is looked for.
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
  if (isOutage(decision, run, names)) {
    const message = `nothing reported on the test branch: ${names.join(", ")}`;
    if (retryBrokenRun(decision, run, message)) return;
  }
  const minutes = effective(decision.state.settings, "missingCheckMinutes");
  const reason: Reason = { code: "REQUIRED_CHECK_MISSING", names, minutes };
  failRun(decision, run, reason);
}

/** Whether CI did nothing at all that it is known to do: then it may have lost the push, and another is worth a try. */
function isOutage({ state }: Decision, run: TestRun, names: readonly string[]): boolean {
  const required = checksToPass(state, run);
  return names.length === required.length && names.every((name) => state.checkMemory.heard.includes(name));
}
