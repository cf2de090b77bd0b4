import { repositoryEndpoint, presented } from "../../api/endpoint.ts";
import { refused } from "../../service/runtime/outcome.ts";
import { presentUpload } from "./present/present-upload.ts";
import { boundedReports } from "./reports/bounded-reports.ts";
import { decodeReport } from "./reports/decode-report.ts";
import { judgedUpload, testUpload } from "./schema/test-upload.ts";

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
  // Any sender may say `unknown`: such an upload forgives nothing and is no evidence.
  if (said.kind === "unknown") return true;
  const [, pr] = /^refs\/pull\/(\d+)\//.exec(ref) ?? [];
  if (pr !== undefined) return said.kind === "pr" && said.pr === Number(pr);
  return ref === `refs/heads/${said.branch}`;
}
