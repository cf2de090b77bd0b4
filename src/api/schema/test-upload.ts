import * as z from "zod";
import { longestVariant } from "../../flaky/identity.ts";
import { reportEncodings } from "../bodies/decode-report.ts";
import { encodeReport } from "../bodies/encode-report.ts";
import { byNumber } from "./pull-request.ts";
import { branchName } from "./queue-address.ts";
import { repository } from "./repository.ts";
import { timestamp } from "./timestamp.ts";

const fullSha = z
  .string()
  .regex(/^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, { error: "must be a full SHA in hexadecimal digits" })
  .toLowerCase();

/** Maximum number of reports in one upload: a Java build writes one for each class. */
const mostReports = 10_000;

export const testBranchKinds = ["pr", "stable", "queue", "unknown"] as const;

/** The reports of one job. */
export const testUpload = z.strictObject({
  repo: repository.describe("The repository whose tests ran."),
  head_sha: fullSha.describe("The head commit: of the pull request or the branch, not of a test merge."),
  tree_sha: fullSha.describe(
    "The tree that was tested, as `git rev-parse HEAD^{tree}` tells after the checkout. Results are compared on it.",
  ),
  branch: branchName.describe("The branch that was tested; of a pull request, its head branch."),
  base_branch: branchName
    .optional()
    .describe(
      "The branch that a pull request is to be merged into. What is flaky or broken on one stable branch need not be so on another; without it, the stable branch of which most is uploaded is meant.",
    ),
  kind: z
    .enum(testBranchKinds)
    .describe(
      "`pr`: a pull request, whose own fault a failure may be. `stable`: a branch that everybody builds on. `queue`: a test branch of the merge queue. `unknown`: none of these for certain; no failure is forgiven, and the upload is no evidence.",
    ),
  pr: byNumber.optional().describe("The pull request, where the tests ran for one."),
  run_id: z.string().min(1).max(100).describe("What the CI system calls the run."),
  run_attempt: z
    .int()
    .min(1)
    .max(10_000)
    .default(1)
    .describe("From 1: which time it is that this run is run."),
  workflow: z
    .string()
    .max(255)
    .default("")
    .describe(
      "The workflow that has the job: runs of jobs of one name in different workflows are not compared.",
    ),
  job: z
    .string()
    .min(1)
    .max(255)
    .describe(
      "The job, named as its check is, such as `test`, `test (linux, 24)` or `ci / test`; or without what stands in brackets. Its runs are compared with one another, and the queue knows by it which check a report explains.",
    ),
  variant: z
    .string()
    .max(longestVariant)
    .default("")
    .describe(
      "What tells runs of the job apart that are not comparable: the operating system, the shard. It makes a test another test.",
    ),
  step: z
    .string()
    .max(100)
    .default("")
    .describe(
      "What tells the uploads of one job apart, if it has several: the step of the tests. Each is compared with its own.",
    ),
  step_failed: z.boolean().describe("Whether the step that ran the tests failed."),
  quarantine: z.boolean().default(true).describe("False: failures of quarantined tests count."),
  expected_reports: z
    .int()
    .min(0)
    .max(mostReports)
    .optional()
    .describe("How many reports there are, where that is known."),
  reports: z
    .array(
      z
        .strictObject({
          path: z.string().min(1).max(1_000).describe("What the report is called."),
          encoding: z
            .enum(reportEncodings)
            .default("text")
            .describe("`text`: the content is the XML. `gzip`, `zstd`: it is that, compressed, in base64."),
          content: z.string(),
        })
        .transform(encodeReport),
    )
    .max(mostReports)
    .describe("JUnit XML, one after the other, together at most 256 MiB."),
});

const failedTest = z.object({
  id: z.string(),
  name: z.string(),
  parent: z.string().nullable(),
  file: z.string().nullable(),
  classname: z.string().nullable(),
  variant: z.string(),
  summary: z.string().describe("What its last failure says, in a line without what differs from run to run."),
});

const quarantinedTest = failedTest.extend({
  quarantine_owner: z.string().nullable(),
  quarantine_reason: z.string(),
  quarantine_expires_at: timestamp.nullable(),
  ticket_url: z.string().nullable(),
});

export const judgedUpload = z.object({
  upload_id: z.string().describe("Empty: nothing of it is kept, since only a fork's run vouches for it."),
  is_new: z.boolean().describe("False: the same was uploaded before, and is kept once."),
  verdict: z
    .enum(["passed", "quarantined", "failed", "unknown"])
    .describe(
      "`quarantined`: all that failed is forgiven, and the step may pass. In all other cases the step's own result stands.",
    ),
  code: z.string().describe("Why, for programs."),
  message: z.string().describe("What to do about it, where that is not plain."),
  failed: z.array(failedTest).describe("Failures that count; at most 1,000 are listed."),
  quarantined: z.array(quarantinedTest).describe("Failures that are forgiven; at most 1,000 are listed."),
  failed_count: z.int().min(0),
  quarantined_count: z.int().min(0),
  is_suspect: z
    .boolean()
    .describe(
      "The upload is no evidence about single tests, and enters no rate: so much failed, or its kind is `unknown`.",
    ),
  tests: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }),
  reports: z.array(
    z.object({
      path: z.string(),
      cases: z.int(),
      fault: z
        .object({ code: z.string(), message: z.string() })
        .nullable()
        .describe("Why it vouches for nothing; null when it is whole."),
    }),
  ),
});
