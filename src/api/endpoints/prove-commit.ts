import * as z from "zod";
import { testedSha } from "../../engine/model/test-run.ts";
import type { CommitProof } from "../../service/queues/tested-commits.ts";
import { flakyTestsIn, isProved, proofReasons, pullRequestOf } from "../../service/queues/tree-proof.ts";
import { endpoint, presented } from "../endpoint.ts";
import { queueAddress } from "../schema/addresses.ts";
import { renderTimestamp, timestamp } from "../schema/fields.ts";

const mostNamed = 20;

const commitSha = z
  .string()
  .regex(/^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, { error: "must be the full SHA of a commit" })
  .toLowerCase();

const reasons = [
  "`PASSED`: the last run that tested it passed",
  "`PASSED_DESPITE_FLAKY_TESTS`: it passed, but `flakyTests` failed and did not count",
  "`NOT_TESTED`: no run of the queue tested this tree, as far as the history is kept",
  "`NOT_FINISHED`: it is being tested",
  "`FAILED`: the last run that tested it failed",
  "`CANCELLED`: its tests were cancelled",
  "`NOT_EVERY_CHECK_PASSED`: a run counts as passed, but its required checks did not all pass on this tree, or CI skipped all of them",
  "`TOO_MANY_RUNS`: too many runs tested it to compare them",
  "`COMMIT_NOT_FOUND`: GitHub does not show the service such a commit",
  "`CODE_HOST_DID_NOT_ANSWER`: GitHub did not tell the tree of the commit within 400 ms; ask again",
];

const answer = z.object({
  proved: z
    .boolean()
    .describe(
      "Whether the tree of the commit was tested by the queue and passed. False also when that is not known.",
    ),
  reason: z.enum(proofReasons).describe(`${reasons.join("; ")}.`),
  sha: z.string().describe("The commit that was asked about."),
  treeSha: z.string().nullable().describe("Its tree, as GitHub says; null when GitHub did not say it."),
  prNumber: z
    .int()
    .nullable()
    .describe(
      "The pull request that merged as this commit, or else the last one that the run decided about. Null without a run, or when it tested the branch alone.",
    ),
  run: z
    .object({
      testRunId: z.uuid(),
      url: z.string().nullable().describe("Its page; null when no dashboard has a public address."),
      testedSha: z.string().nullable().describe("The commit that CI tested, which has the same tree."),
      endedAt: timestamp.nullable(),
    })
    .nullable()
    .describe("The run that decides."),
  checks: z
    .array(
      z.object({
        name: z.string(),
        conclusion: z
          .string()
          .describe("`success`; `skipped` or `neutral` if CI decided that there was nothing to test."),
        url: z.string().nullable(),
      }),
    )
    .describe(
      "The checks that were required when the run ended, and reported on the tested commit. [] unless `proved`. A check that passed on the heads only (`acceptFromHead`) is not among them.",
    ),
  flakyTests: z
    .array(z.string())
    .describe("Tests that failed in the run and did not count, at most 20. Others wrote these names."),
});

export const proveCommit = endpoint(
  {
    summary:
      "Says whether the queue has tested the tree of a commit, and by which run. The commit may be another one than the tested commit: the service reads its tree from GitHub.",
    scope: "read",
    accepts: ["workflow"],
    body: queueAddress.extend({ sha: commitSha.describe("The full SHA of the commit.") }),
    answer,
  },
  async ({ repo, targetBranch: branch, sha }, { testedCommits }) =>
    presented(await testedCommits.prove({ repo, branch }, sha), (proof) => presentProof(proof, sha)),
);

function presentProof(
  { reason, treeSha, test, checks, runUrl }: CommitProof,
  sha: string,
): z.output<typeof answer> {
  const record = test?.record;
  return {
    proved: isProved(reason),
    reason,
    sha,
    treeSha,
    prNumber: test ? pullRequestOf(test, sha) : null,
    run: record
      ? {
          testRunId: record.run.id,
          url: runUrl,
          testedSha: testedSha(record.run),
          endedAt: record.endedAt === null ? null : renderTimestamp(record.endedAt),
        }
      : null,
    checks: checks.map((check) => ({ ...check })),
    flakyTests: record ? flakyTestsIn(record.run).slice(0, mostNamed) : [],
  };
}
