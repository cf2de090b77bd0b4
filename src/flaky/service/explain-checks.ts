import {
  type CheckFact,
  type ExplainedCheck,
  evaluateChecks,
  type RequiredCheck,
  type TestEvidence,
} from "../../engine/model/checks/required-checks.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { ExplainChecks } from "../../service/observation/check-watcher.ts";
import { maskGenerated } from "../generated-parts.ts";
import type { TestReads } from "../store/reads/test-reads.ts";
import type { CommitReport } from "../store/reads/test-records.ts";

type FailedTest = CommitReport["failed"][number];

/** Explains checks by the stored reports on their commit. */
export function checkExplainer(tests: Pick<TestReads, "reportsOn">, clock: Clock): ExplainChecks {
  return async ({ repo, sha, required, checks, retries }) => {
    const reports = await tests.reportsOn(repo, sha, clock.now());
    return reports.length === 0 ? null : explainChecks(required, checks, reports, retries);
  };
}

/**
 * Explains the required checks of a commit by its test reports. `retries`: how often failed checks have been re-run. Reports that are older
 * than the last re-run do not explain failures.
 */
export function explainChecks(
  required: readonly RequiredCheck[],
  checks: readonly CheckFact[],
  reports: readonly CommitReport[],
  retries: number,
): TestEvidence {
  const latest = latestOf(reports);
  const forgiven: ExplainedCheck[] = [];
  const flaky: ExplainedCheck[] = [];
  const withNewTests: ExplainedCheck[] = [];
  const verdictOf = (check: RequiredCheck) => evaluateChecks([check], checks).verdict;
  const failed = required.filter((check) => verdictOf(check) === "failed");
  for (const check of required) {
    const { name } = check;
    const reported = latest.filter((report) => isOf(name, report));
    if (verdictOf(check) === "passed") {
      const spared = reported.filter(({ verdict }) => verdict === "quarantined");
      if (spared.length > 0) forgiven.push({ name, tests: testsOf(spared) });
    } else if (failed.includes(check)) {
      const fresh = reported.filter(({ runAttempt }) => runAttempt > retries);
      const failing = fresh.filter(({ verdict }) => verdict !== "passed");
      // Every failed check of a matrix needs its own report that explains it.
      const others = failed.filter((other) => failing.some((report) => isOf(other.name, report)));
      if (failing.length === 0 || failing.length < others.length) continue;
      if (failing.every((report) => hasOnly(report, isKnownFlake)))
        flaky.push({ name, tests: testsOf(failing) });
      else if (failing.every((report) => hasOnly(report, isKnownFlakeOrNew)))
        withNewTests.push({ name, tests: testsOf(failing, ({ isNew }) => isNew) });
    }
  }
  return { forgiven, flaky, withNewTests };
}

/** A job's check has the job's name, followed by matrix values if there are several: `test (linux, 24)`. */
function isOf(check: string, { job }: CommitReport): boolean {
  const name = maskGenerated(check);
  return name === job || name.startsWith(`${job} (`);
}

/** An unreliable report proves nothing. Neither does a report with so many failures that the tests cannot be the cause. */
function hasOnly(
  { verdict, isSuspect, failed, failedCount }: CommitReport,
  isAllowed: (test: FailedTest) => boolean,
): boolean {
  if (verdict === "unknown" || isSuspect || failed.length === 0) return false;
  return failed.length === failedCount && failed.every(isAllowed);
}

const isKnownFlake = ({ isKnownFlaky }: FailedTest) => isKnownFlaky;
const isKnownFlakeOrNew = ({ isKnownFlaky, isNew }: FailedTest) => isKnownFlaky || isNew;

function testsOf(
  reports: readonly CommitReport[],
  isNamed: (test: FailedTest) => boolean = () => true,
): readonly string[] {
  return [...new Set(reports.flatMap(({ failed }) => failed.filter(isNamed).map(({ name }) => name)))];
}

/** If a job ran several times, keeps only its latest report. */
export function latestOf(reports: readonly CommitReport[]): readonly CommitReport[] {
  const latest = new Map<string, CommitReport>();
  for (const report of reports) {
    const key = JSON.stringify([report.runId, report.job, report.variant]);
    const known = latest.get(key);
    if (!known || known.runAttempt <= report.runAttempt) latest.set(key, report);
  }
  return [...latest.values()];
}
