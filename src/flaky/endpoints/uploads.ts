import type * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";
import { renderTimestamp } from "../../api/schema/fields.ts";
import { refused } from "../../service/runtime/outcome.ts";
import { fingerprintOf } from "../failure/fingerprint.ts";
import type { FailedTest } from "../quarantine/judge-upload.ts";
import { ReportUndecodable, type SentReport } from "../service/uploads/read-reports.ts";
import type { JudgedUpload } from "../service/uploads/test-ingest.ts";
import { digest } from "../service/uploads/upload-tests.ts";
import { decodeReport } from "./decode-report.ts";
import { judgedUpload, testUpload } from "./upload-schema.ts";

export const uploadTestResults = repositoryEndpoint(
  {
    path: "flaky-tests/upload-results",
    summary: "Stores the JUnit reports of a job, and answers whether its failures count.",
    scope: "tests:upload",
    kind: "command",
    accepts: ["workflow", "fork_run"],
    body: testUpload,
    answer: judgedUpload,
  },
  async (body, { tests, principal }) => {
    const { checkout } = principal;
    const pr = body.pr?.number ?? null;
    if (checkout && !ranFor(checkout.ref, { ...body, pr })) {
      return refused({ code: "WORKFLOW_OF_OTHER_BRANCH", ref: checkout.ref });
    }
    const upload = {
      ...{ repo: body.repo, branch: body.branch, kind: body.kind, pr },
      ...{ workflow: body.workflow, job: body.job, variant: body.variant },
      baseBranch: body.base_branch ?? null,
      step: body.step,
      headSha: body.head_sha,
      treeSha: body.tree_sha,
      baseSha: body.base_sha ?? null,
      runId: body.run_id,
      runAttempt: body.run_attempt,
      stepFailed: body.step_failed,
      quarantine: body.quarantine,
      expectedReports: body.expected_reports ?? null,
      reports: body.reports.map(decodeReport),
    };
    if (principal.kind !== "fork_run") return presented(await tests.upload(upload), presentUpload);
    const reports = boundedReports(upload.reports, forkBytes);
    return presented(await tests.judge({ ...upload, reports }), presentUpload);
  },
);

/** Maximum size of all reports in an upload of a fork's run, in bytes: a third of a second's work. */
const forkBytes = 16 * 2 ** 20;

/**
 * Whether a workflow runs for the branch or pull request that the upload names. A pull request's workflow must not upload
 * results for a branch that everybody builds on.
 */
function ranFor(ref: string, said: { kind: string; pr: number | null; branch: string }): boolean {
  // Any sender may say `unknown`, because such an upload forgives nothing and is no evidence.
  if (said.kind === "unknown") return true;
  const [, pr] = /^refs\/pull\/(\d+)\//.exec(ref) ?? [];
  if (pr !== undefined) return said.kind === "pr" && said.pr === Number(pr);
  return ref === `refs/heads/${said.branch}`;
}

/** Returns the reports with a common limit: reading them throws once all of them together exceed `bytes` after decoding. */
export function boundedReports(reports: readonly SentReport[], bytes: number): readonly SentReport[] {
  let left = bytes;
  async function* bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      left -= piece.length;
      if (left < 0)
        throw new ReportUndecodable({
          code: "REPORT_TOO_LARGE",
          message: `all reports together hold more than ${bytes / 2 ** 20} MiB: send an API token with so many`,
        });
      yield piece;
    }
  }
  return reports.map(({ path, pieces }) => ({ path, pieces: bounded(pieces) }));
}

const mostListed = 1_000;

type Answer = z.output<typeof judgedUpload>;

export function presentUpload(upload: JudgedUpload): Answer {
  const { id, isNew, isSuspect, verdict: judged, reports, tests, quarantines } = upload;
  const { verdict, code, message, failed, quarantined, awaitedShards = 0 } = judged;
  return {
    upload_id: String(id ?? ""),
    is_new: isNew,
    ...{ verdict, code, message },
    // A result that is not stored remains missing in its run, so waiting for other shards does not help.
    ...(id !== null && awaitedShards > 0 ? { awaited_shards: awaitedShards } : {}),
    failed: failed.slice(0, mostListed).map((test) => presentFailed(test, upload)),
    quarantined: quarantined.slice(0, mostListed).map((test) => {
      const held = quarantines.get(test.id);
      return {
        ...presentFailed(test, upload),
        quarantine_owner: held?.owner ?? null,
        quarantine_reason: held?.reason ?? "",
        quarantine_expires_at: held?.expiresAt == null ? null : renderTimestamp(held.expiresAt),
        ticket_url: held?.ticketUrl ?? null,
      };
    }),
    failed_count: failed.length,
    quarantined_count: quarantined.length,
    is_suspect: isSuspect,
    tests: { ...tests },
    reports: reports.map(({ path, cases, fault }) => ({ path, cases, fault: fault && { ...fault } })),
  };
}

function presentFailed({ id, run }: FailedTest, { variantOf }: JudgedUpload): Answer["failed"][number] {
  const { name, parent, file, classname, attempts } = run;
  const failure = attempts.findLast((attempt) => attempt.failure !== null)?.failure;
  const summary = failure ? fingerprintOf(failure, digest).summary : "";
  return { id, name, parent, file, classname, variant: variantOf(run), summary };
}
