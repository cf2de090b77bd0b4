import type { TestRun } from "../test-run.ts";
import type { CheckFact } from "./required-checks.ts";

/** The checks of a run that count: failures from before a re-run do not. */
export function currentChecks({ retried }: Pick<TestRun, "retried">, checks: readonly CheckFact[]) {
  if (!retried) return checks;
  return checks.filter(({ kind, id }) => kind !== "check_run" || !retried.outdated.includes(id));
}
