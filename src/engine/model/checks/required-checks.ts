import type { FailedCheck } from "../../reasons/reason.ts";

/** A check that must pass. With an `appId`, only check runs of that App count. */
export interface RequiredCheck {
  readonly name: string;
  readonly appId: number | null;
}

export type RequiredChecksSource = "merge_instance" | "repository_config" | "repo_provider_branch_protection";

/** One check run or commit status as the code host reports it, with the code host's own lower-case values. */
export interface CheckFact {
  readonly kind: "check_run" | "status";
  readonly name: string;
  /** The App that created a check run; null for a status. */
  readonly appId: number | null;
  /** The check suite of a check run. A newer run replaces an older one of the same suite. */
  readonly suiteId: number | null;
  /** Increases with time within one kind. */
  readonly id: number;
  /** `queued`, `in_progress`, `completed`, …; for a status always `completed` unless it is pending. */
  readonly status: string;
  /** `success`, `failure`, …; null until completed. */
  readonly conclusion: string | null;
  readonly url: string | null;
  /** When it began, as `completedAt`. Nothing is decided by it. A status has none. */
  readonly startedAt?: number;
  /** When it ended, in milliseconds since the epoch, by the code host's clock; absent = it has not ended, or that is not known. */
  readonly completedAt?: number;
}

export interface ChecksVerdict {
  readonly verdict: "passed" | "failed" | "pending";
  readonly failed: readonly FailedCheck[];
  /** Names of checks that have reported but are not completed. */
  readonly pending: readonly string[];
  /** Names of checks that never reported. */
  readonly missing: readonly string[];
}

/** GitHub's description of a check run has no value for one that became stale, so it may have ended without a conclusion. */
const unknown = "unknown";
const passing: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);

/**
 * Computes the verdict on a commit. A required check passes when at least one check run or status counts for it, and the
 * latest check run of each suite and the latest status passed. If a check run and a status have the same name, both must pass.
 * Source: GitHub, "About status checks" and "Troubleshooting required status checks".
 */
export function evaluateChecks(
  required: readonly RequiredCheck[],
  facts: readonly CheckFact[],
): ChecksVerdict {
  const failed: FailedCheck[] = [];
  const pending: string[] = [];
  const missing: string[] = [];
  for (const check of required) {
    const counted = factsFor(check, facts);
    const failure = counted.find((fact) => fact.status === "completed" && !isPassing(fact));
    if (counted.length === 0) missing.push(check.name);
    else if (failure)
      failed.push({ name: check.name, conclusion: failure.conclusion ?? unknown, url: failure.url });
    else if (counted.some((fact) => fact.status !== "completed")) pending.push(check.name);
  }
  const undecided = pending.length + missing.length > 0;
  return {
    verdict: failed.length > 0 ? "failed" : undecided ? "pending" : "passed",
    failed,
    pending,
    missing,
  };
}

/**
 * Conclusions that say nothing about the code: CI was stopped, could not start, or lost the check. `timed_out` is not among
 * them, because the code may hang. `action_required` is not among them either, because no person is there to act.
 * Source: GitHub, REST API, "Check runs", `conclusion`.
 */
const infrastructure: ReadonlySet<string> = new Set(["cancelled", "stale", "startup_failure", unknown]);

export function isBrokenByInfrastructure({ conclusion }: Pick<FailedCheck, "conclusion">): boolean {
  return infrastructure.has(conclusion);
}

/** Describes how CI broke, if every failed check has such a conclusion; null if a check failed otherwise, or if none failed. */
export function brokenByInfrastructure({ failed }: ChecksVerdict): string | null {
  if (failed.length === 0 || !failed.every(isBrokenByInfrastructure)) return null;
  return failed
    .map(({ name, conclusion }) => `${name} ended as ${conclusion.replaceAll("_", " ")}`)
    .join(", ");
}

/** The failed checks if all of them were cancelled; null if one ended otherwise, or if none failed. */
export function cancelledChecks({ failed }: ChecksVerdict): readonly FailedCheck[] | null {
  const isCancelled = failed.length > 0 && failed.every(({ conclusion }) => conclusion === "cancelled");
  return isCancelled ? failed : null;
}

function counts(fact: CheckFact, check: RequiredCheck): boolean {
  return fact.name === check.name && (check.appId === null || fact.appId === check.appId);
}

export function isPassing(fact: Pick<CheckFact, "conclusion">): boolean {
  return fact.conclusion !== null && passing.has(fact.conclusion);
}

/** The facts that decide about a required check: the latest check run of each suite, and the latest status. */
export function factsFor(check: RequiredCheck, facts: readonly CheckFact[]): readonly CheckFact[] {
  return latestOf(facts.filter((fact) => counts(fact, check)));
}

/** The newest check run of each suite, and the newest status. */
function latestOf(facts: readonly CheckFact[]): CheckFact[] {
  const latest = new Map<string, CheckFact>();
  for (const fact of facts) {
    const key = `${fact.kind}/${fact.suiteId ?? ""}`;
    const known = latest.get(key);
    if (!known || known.id < fact.id) latest.set(key, fact);
  }
  return [...latest.values()];
}

/** The name of the check that shows where a pull request is in the queue of a branch. */
export function ownCheckName(branch: string): string {
  return `Trainyard (${branch})`;
}

/** The branch that our check with this name is about; null for another check. */
export function branchOfOwnCheck(name: string): string | null {
  const [, branch] = /^Trainyard \((.+)\)$/.exec(name) ?? [];
  return branch ?? null;
}

/**
 * Removes our own check. It passes only when its pull request merges, so waiting for it would never end.
 *
 * @param checks the required checks of a branch
 */
export function withoutOwnCheck<Check extends { readonly name: string }>(
  checks: readonly Check[],
  branch: string,
): Check[] {
  return checks.filter(({ name }) => name !== ownCheckName(branch));
}

/** A check, and the tests that explain its result. */
export interface ExplainedCheck {
  readonly name: string;
  readonly tests: readonly string[];
}

/** What a run's test reports say about its required checks. A check without a report, or with a doubtful one, is in none of these lists. */
export interface TestEvidence {
  /** Checks that passed although quarantined tests failed. */
  readonly forgiven: readonly ExplainedCheck[];
  /** Failed checks in which only known flaky tests or quarantined tests failed. */
  readonly flaky: readonly ExplainedCheck[];
  /**
   * Failed checks in which only new tests failed, or new tests and known flakes. `tests` holds only the new ones; absent = none.
   */
  readonly withNewTests?: readonly ExplainedCheck[];
}

export const noEvidence: TestEvidence = { forgiven: [], flaky: [] };

/** The names of required checks that have reported, or never report, on the queue's test branches. */
export interface CheckMemory {
  /** Checks that have reported. */
  readonly heard: readonly string[];
  /** Checks that never reported in a test, which failed because of that, and that have not reported since. */
  readonly silent: readonly string[];
}

export const noMemory: CheckMemory = { heard: [], silent: [] };
