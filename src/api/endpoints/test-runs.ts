import * as z from "zod";
import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import { testedSha } from "../../engine/model/test-run.ts";
import type { TestReader } from "../../flaky/service/test-reader.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { DetailedRun } from "../../service/queues/test-runs.ts";
import { accepted } from "../../service/runtime/outcome.ts";
import { endpoint, presented } from "../endpoint.ts";
import { queueAddress } from "../schema/addresses.ts";
import { renderTimestamp, timestamp } from "../schema/fields.ts";

export const testingDetails = z.object({
  testRunId: z.uuid(),
  status: z.enum(["in_progress", "succeeded", "failed", "cancelled"]),
  createdAt: timestamp,
  endedAt: timestamp.nullable().describe("When its result was decided, or was no longer needed."),
  timesOutAt: timestamp
    .nullable()
    .describe(
      "When it fails unless its checks have passed; null before its branch is made, and once it has ended.",
    ),
  requiredStatuses: z.array(z.string()).describe("What has to pass; [] before the test branch is made."),
  requiredStatusesSource: z
    .enum(["merge_instance", "repository_config", "repo_provider_branch_protection"])
    .nullable(),
  testBranch: z.string().nullable().describe("Null before it is made."),
  testBranchSha: z.string().nullable(),
  baseSha: z.string(),
  checkSuites: z.array(
    z.object({
      checkRuns: z.array(
        z.object({
          name: z.string(),
          url: z.string().nullable(),
          status: z.string().describe("QUEUED, IN_PROGRESS, COMPLETED, …"),
          conclusion: z.string().nullable().describe("SUCCESS, FAILURE, …; null until it is completed."),
        }),
      ),
    }),
  ),
  statusChecks: z.array(
    z.object({
      context: z.string(),
      url: z.string().nullable(),
      state: z.string().describe("SUCCESS, FAILURE, ERROR or PENDING."),
    }),
  ),
  testedPullRequests: z.array(
    z.object({ prNumber: z.int(), prUrl: z.string(), title: z.string(), prSha: z.string() }),
  ),
  dependentPrs: z.array(z.int()).describe("Those ahead, which it contains."),
  impactedTargets: z
    .array(z.string())
    .optional()
    .describe(
      "Names of what the tested pull requests impact, at most 1,000 of them, as uploaded within the last 30 days. Only in answers about one run.",
    ),
  impactedTargetsCount: z
    .union([z.int(), z.literal("ALL")])
    .nullable()
    .optional()
    .describe("The sum of the numbers of targets of the tested pull requests; null if none were uploaded."),
  isBisection: z.boolean().describe("Whether the run splits a batch that failed."),
  failedBefore: z
    .array(
      z.object({
        name: z.string(),
        parent: z.string().nullable(),
        file: z.string().nullable(),
        classname: z.string().nullable(),
        variant: z.string(),
        isFlaky: z.boolean(),
        failedRuns: z.int(),
        lastFailedAt: timestamp,
      }),
    )
    .optional()
    .describe(
      "The tests that failed within 14 days on the tested pull requests, in their own reports and those of the queue; at most 200, the last that failed first. Test reports name them. Only in answers about one run.",
    ),
  reason: z.string().nullable().describe("The code of why it failed."),
});

type FailedBefore = Awaited<ReturnType<TestReader["failedBefore"]>>;

function presentDetailedRun(
  { record, impacted }: DetailedRun,
  failed: FailedBefore,
): z.output<typeof testingDetails> {
  return {
    ...presentTesting(record),
    failedBefore: failed.map(
      ({ name, parent, file, classname, variant, status, failedRuns, lastFailedAt }) => ({
        ...{ name, parent, file, classname, variant, failedRuns },
        isFlaky: status.status === "FLAKY",
        lastFailedAt: renderTimestamp(lastFailedAt),
      }),
    ),
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
    createdAt: renderTimestamp(run.startedAt),
    endedAt: endedAt === null ? null : renderTimestamp(endedAt),
    timesOutAt: endedAt !== null || run.deadline === null ? null : renderTimestamp(run.deadline),
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

/** The id at the end of a test branch's name. A bisection suffix after it is ignored. */
const testRunId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(-bisection.*)?$/, {
    error: "must be the id of a test run, the UUID that ends its branch's name",
  })
  .transform((text) => text.slice(0, 36).toLowerCase());

export const getMergeQueueTestingDetails = endpoint(
  {
    summary: "Reads the test runs in progress, or the result of one test run.",
    scope: "read",
    accepts: ["workflow", "person"],
    body: queueAddress.extend({
      testRunId: testRunId.optional().describe("The id of a test run. Default: all that are in progress."),
    }),
    answer: z.union([
      testingDetails,
      z.object({ testRuns: z.array(testingDetails).describe("The runs in progress, oldest first.") }),
    ]),
  },
  async ({ repo, targetBranch: branch, testRunId: runId }, { queues, knownTests }) => {
    if (runId === undefined)
      return presented(await queues.readRuns({ repo, branch }), (runs) => ({
        testRuns: runs.map(presentTesting),
      }));
    const found = await queues.readRun({ repo, branch, runId });
    if (!found.ok) return found;
    const { record } = found.value;
    const prs = record.pullRequests.map(({ pr }) => pr);
    const stories = await Promise.all(prs.map((pr) => queues.readStory({ repo, branch, pr })));
    const runs = stories.flatMap((story) => (story.ok ? story.value.runs.map(({ run }) => run) : []));
    const failed = await knownTests.failedBefore(repo, prs, [...runs, record.run]);
    return accepted(presentDetailedRun(found.value, failed));
  },
);
