import type * as z from "zod";
import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import { testedSha } from "../../engine/model/test-run.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { DetailedRun } from "../../service/queues/test-runs.ts";
import type { testingDetails } from "../schema/testing-details.ts";
import { timestamp } from "./timestamp.ts";

export function presentDetailedRun({ record, impacted }: DetailedRun): z.output<typeof testingDetails> {
  return {
    ...presentTesting(record),
    impactedTargets: impacted ? [...impacted.names] : [],
    impactedTargetsCount: impacted?.total ?? null,
  };
}

export function presentTesting({
  run,
  status,
  endedAt,
  pullRequests,
}: RunRecord): z.output<typeof testingDetails> {
  return {
    testRunId: run.id,
    status,
    createdAt: timestamp(run.startedAt),
    endedAt: endedAt === null ? null : timestamp(endedAt),
    requiredStatuses: run.required.map(({ name }) => name),
    requiredStatusesSource: run.requiredSource,
    testBranch: run.branch,
    testBranchSha: testedSha(run),
    baseSha: run.base,
    checkSuites: suitesOf(run.checks),
    statusChecks: run.checks
      .filter(({ kind }) => kind === "status")
      .map(({ name, url, conclusion }) => ({
        context: name,
        url,
        state: (conclusion ?? "pending").toUpperCase(),
      })),
    testedPullRequests: pullRequests.map(({ pr, url, title, headSha }) => ({
      prNumber: pr,
      prUrl: url,
      title,
      prSha: headSha,
    })),
    dependentPrs: [...run.ahead],
    isBisection: run.kind === "bisection",
    reason: run.failure?.code ?? null,
  };
}

function suitesOf(checks: readonly CheckFact[]) {
  const runs = checks.filter(({ kind }) => kind === "check_run");
  return [...Map.groupBy(runs, ({ suiteId }) => suiteId).values()].map((suite) => ({
    checkRuns: suite.map(({ name, url, status, conclusion }) => ({
      name,
      url,
      status: status.toUpperCase(),
      conclusion: conclusion?.toUpperCase() ?? null,
    })),
  }));
}
