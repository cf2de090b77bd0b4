import * as z from "zod";
import { branchName, byNumber, repository } from "../../api/schema/addresses.ts";
import { timestamp } from "../../api/schema/fields.ts";
import { longestVariant } from "../identity.ts";
import { type EncodedReport, reportEncodings } from "./decode-report.ts";

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
    "The tree that was tested, as `git rev-parse HEAD^{tree}` prints it after the checkout. Results on the same tree are compared.",
  ),
  branch: branchName.describe("The branch that was tested; of a pull request, its head branch."),
  base_branch: branchName
    .optional()
    .describe(
      "The branch that the pull request is to be merged into. A test can be flaky or broken on one stable branch and not on another. Default: the stable branch with the most uploads.",
    ),
  base_sha: fullSha
    .optional()
    .describe(
      "The commit that the tested one is built on: the first parent of a test merge, of a commit of the queue and of a stable branch; else the merge base. An upload must have the tests of that commit's run. Default: it must have the tests that stable branches have had for a week.",
    ),
  kind: z
    .enum(testBranchKinds)
    .describe(
      "`pr`: a pull request, which may itself cause a failure. `stable`: a branch that everybody builds on. `queue`: a test branch of the merge queue. `unknown`: not certain; no failure is forgiven, and the upload is no evidence.",
    ),
  pr: byNumber.optional().describe("The pull request, if the tests ran for one."),
  run_id: z.string().min(1).max(100).describe("What the CI system calls the run."),
  run_attempt: z.int().min(1).max(10_000).default(1).describe("The attempt of the run, from 1."),
  workflow: z
    .string()
    .max(255)
    .default("")
    .describe("The workflow of the job. Jobs of the same name in different workflows are not compared."),
  job: z
    .string()
    .min(1)
    .max(255)
    .describe(
      "The name of the job's check, such as `test`, `test (linux, 24)` or `ci / test`, with or without the part in brackets. Runs with the same name are compared, and the queue uses it to find the check that a report explains.",
    ),
  variant: z
    .string()
    .max(longestVariant)
    .default("")
    .describe(
      "Distinguishes runs of the job that are not comparable, such as by operating system or shard. The same test in another variant counts as another test. Parts that are likely to differ in each run, such as dates, commits and numbers of six digits or more, are replaced by `…`.",
    ),
  step: z
    .string()
    .max(100)
    .default("")
    .describe(
      "Distinguishes the uploads of one job, if it has several, such as by the step of the tests. Only uploads with the same name are compared.",
    ),
  step_failed: z.boolean().describe("Whether the step that ran the tests failed."),
  quarantine: z.boolean().default(true).describe("False: failures of quarantined tests count."),
  expected_reports: z
    .int()
    .min(0)
    .max(mostReports)
    .optional()
    .describe("The number of reports, if it is known."),
  reports: z
    .array(
      z
        .strictObject({
          path: z.string().min(1).max(1_000).describe("The name of the report."),
          encoding: z
            .enum(reportEncodings)
            .default("text")
            .describe(
              "`text`: the content is the XML itself. `gzip`, `zstd`: the content is the compressed XML in base64.",
            ),
          content: z.string(),
        })
        .transform(encodeReport),
    )
    .max(mostReports)
    .describe("Reports in JUnit XML, together at most 256 MiB."),
});

const failedTest = z.object({
  id: z.string(),
  name: z.string(),
  parent: z.string().nullable(),
  file: z.string().nullable(),
  classname: z.string().nullable(),
  variant: z.string(),
  summary: z.string().describe("Its last failure in one line, without the details that differ between runs."),
});

const quarantinedTest = failedTest.extend({
  quarantine_owner: z.string().nullable(),
  quarantine_reason: z.string(),
  quarantine_expires_at: timestamp.nullable(),
  ticket_url: z.string().nullable(),
});

export const judgedUpload = z.object({
  upload_id: z
    .string()
    .describe("Empty if the upload was not stored, because it came from a fork's run without a token."),
  is_new: z.boolean().describe("False if the same results were uploaded before; they are stored once."),
  verdict: z
    .enum(["passed", "quarantined", "failed", "unknown"])
    .describe(
      "`quarantined`: all failures are forgiven, and the step may pass. In all other cases the step's own result stands.",
    ),
  code: z.string().describe("The reason of the verdict, for programs."),
  awaited_shards: z
    .int()
    .min(1)
    .optional()
    .describe(
      "How many shards of the run have not reported yet, judging by an earlier run. They may have run the missing tests, so upload the same reports again later. Absent if there are none, or if tests do not move between shards.",
    ),
  message: z.string().describe("What to do about it, if that is not obvious."),
  failed: z.array(failedTest).describe("Failures that count; at most 1,000 are listed."),
  quarantined: z.array(quarantinedTest).describe("Failures that are forgiven; at most 1,000 are listed."),
  failed_count: z.int().min(0),
  quarantined_count: z.int().min(0),
  is_suspect: z
    .boolean()
    .describe(
      "Whether the upload is no evidence about single tests and is left out of failure rates: too much failed, or its kind is `unknown`.",
    ),
  tests: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }),
  reports: z.array(
    z.object({
      path: z.string(),
      cases: z.int(),
      fault: z
        .object({ code: z.string(), message: z.string() })
        .nullable()
        .describe("Why the report is no evidence that tests passed; null when it is complete."),
    }),
  ),
});

/** A report as it is written in JSON. */
export interface WrittenReport extends Pick<EncodedReport, "path" | "encoding"> {
  readonly content: string;
}

/** Converts the content to bytes, which another thread receives without copying them. */
export function encodeReport({ path, encoding, content }: WrittenReport): EncodedReport {
  return { path, encoding, bytes: encoding === "text" ? encoder.encode(content) : base64Bytes(content) };
}

const encoder = new TextEncoder();

/** Returns null when the text is not base64. Node skips invalid characters, so the result would be shorter. */
function base64Bytes(content: string): Uint8Array<ArrayBuffer> | null {
  const padding = content.endsWith("==") ? 2 : content.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(Buffer.from(content, "base64"));
  const isWhole = bytes.length === Math.floor(((content.length - padding) * 3) / 4);
  // Node also reads the URL-safe alphabet, which is not accepted here.
  return isWhole && !content.includes("-") && !content.includes("_") ? bytes : null;
}
