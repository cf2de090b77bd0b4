import type { QueueState } from "../queue.ts";
import { effective, type QueueSettings } from "../settings.ts";
import type { TestRun } from "../test-run.ts";
import type { CheckFact, RequiredCheck } from "./required-checks.ts";

/**
 * The required checks that have to pass on a run's test branch. A check named in `acceptFromHead` is left out once it has passed on the
 * head of every pull request that the run tests and that has not merged. Never empty when something is required: checks on the heads
 * do not prove that the combination passes.
 */
export function checksToPass(
  state: Pick<QueueState, "settings" | "entries">,
  run: TestRun,
): readonly RequiredCheck[] {
  const { acceptFromHead } = state.settings;
  if (acceptFromHead.length === 0) return run.required;
  const tested = [...run.ahead, ...run.members].flatMap((pr) => state.entries.get(pr) ?? []);
  const isAccepted = ({ name }: RequiredCheck) =>
    acceptFromHead.includes(name) &&
    tested.every(({ readiness }) => readiness.acceptedFromHead?.includes(name) ?? false);
  const left = run.required.filter((check) => !isAccepted(check));
  return left.length > 0 ? left : run.required;
}

/** Whether a list of required checks contains this one, for the same App. */
export function requires(checks: readonly RequiredCheck[], { name, appId }: RequiredCheck): boolean {
  return checks.some((check) => check.name === name && check.appId === appId);
}

/** Whether a run has to pass exactly these checks. */
export function isHeldTo(run: Pick<TestRun, "required">, required: readonly RequiredCheck[]): boolean {
  return (
    required.every((check) => requires(run.required, check)) &&
    run.required.every((check) => requires(required, check))
  );
}

/** The checks of a run that count: failures from before a re-run do not. */
export function currentChecks({ retried }: Pick<TestRun, "retried">, checks: readonly CheckFact[]) {
  if (!retried) return checks;
  return checks.filter(({ kind, id }) => kind !== "check_run" || !retried.outdated.includes(id));
}

/** The time at which a run fails because of its missing checks, in milliseconds since the epoch; null = never. */
export function missingUntil(settings: QueueSettings, run: TestRun): number | null {
  const minutes = effective(settings, "missingCheckMinutes");
  return run.missing && minutes > 0 ? run.missing.since + minutes * 60_000 : null;
}
