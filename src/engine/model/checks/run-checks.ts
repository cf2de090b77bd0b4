import { longOf, usualTestMs } from "../capacity/history.ts";
import { isObstructed, type QueueState } from "../queue.ts";
import { type QueueSettings, settingInUse } from "../settings.ts";
import type { TestRun } from "../test-run.ts";
import { type CheckFact, evaluateChecks, type RequiredCheck } from "./required-checks.ts";

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
  const minutes = settingInUse(settings, "missingCheckMinutes");
  return run.missing && minutes > 0 ? run.missing.since + minutes * 60_000 : null;
}

/** The required checks that are known not to report on test branches, and that are not accepted from the heads. */

export function silentChecks({
  checkMemory,
  settings,
}: Pick<QueueState, "checkMemory" | "settings">): readonly string[] {
  return checkMemory.silent.filter((name) => !settings.acceptFromHead.includes(name));
}

const minuteMs = 60_000;
/**
 * With `testingTimeout: auto`: the number of tests that have to be known, how many times a long test and the longest one a test may take,
 * and the least time.
 */
const automatic = { known: 20, long: 2, longest: 1.5, leastMs: 10 * minuteMs } as const;

/**
 * How long a test that starts now may take, in milliseconds: whole minutes. The longest test counts, too, because the long ones may be
 * rare. Tests that reached the limit are among the known durations, so a limit that is too short grows.
 */
export function testLimitMs({ settings, history }: Pick<QueueState, "settings" | "history">): number {
  const most = settingInUse(settings, "testingTimeoutMinutes") * minuteMs;
  if (settings.testingTimeout === "fixed" || history.testMs.length < automatic.known) return most;
  const { long, longest, leastMs } = automatic;
  const enough = Math.max(long * longOf(history.testMs), longest * Math.max(...history.testMs));
  return Math.min(most, Math.max(leastMs, Math.ceil(enough / minuteMs) * minuteMs));
}

/** The time that is left after an obstacle to read the results that CI has reported during it, in milliseconds. */
const readingMs = 10 * 60_000;
/**
 * CI that tests only changed files does not test the base alone. A test of the base ends if CI has not started within the time of this
 * number of tests, or within `ms` if that is longer.
 */
const silence = { tests: 2, ms: 10 * 60_000 } as const;

/**
 * Returns when a running test times out, in milliseconds since the epoch. Null = not while an obstacle stops the queue: CI may have reported
 * results that cannot be read. Null also for a test that is not running.
 */
export function expiryOf(state: QueueState, run: TestRun | null): number | null {
  if (run?.state !== "running" || run.deadline === null || isObstructed(state)) return null;
  const { statusReason, statusSince, history } = state;
  // Nothing is pending if CI has not started to test the base.
  const isSilent = run.ofBase && evaluateChecks(checksToPass(state, run), run.checks).pending.length === 0;
  const silentFor = Math.max(silence.ms, silence.tests * usualTestMs(history));
  const deadline = isSilent ? Math.min(run.deadline, (run.builtAt ?? 0) + silentFor) : run.deadline;
  return statusReason.code === "OBSTACLE_GONE" ? Math.max(deadline, statusSince + readingMs) : deadline;
}
