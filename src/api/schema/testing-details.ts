import * as z from "zod";
import { timestamp } from "./timestamp.ts";

/** A test run and its results in CI. */
export const testingDetails = z.object({
  testRunId: z.uuid(),
  status: z.enum(["in_progress", "succeeded", "failed", "cancelled"]),
  createdAt: timestamp,
  endedAt: timestamp.nullable().describe("When its result was decided, or was no longer needed."),
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
  isBisection: z.boolean(),
  reason: z.string().nullable().describe("The code of why it failed."),
});
