import type { TestBranchKind, TestUploadFacts } from "../../store/uploads/upload-records.ts";

/** Environment variables of CI systems that describe a run. */
export const usedVariables = [
  ...([
    "GITHUB_EVENT_NAME",
    "GITHUB_SHA",
    "GITHUB_REF",
    "GITHUB_HEAD_REF",
    "GITHUB_RUN_ID",
    "GITHUB_RUN_ATTEMPT",
  ] as const),
  ...(["GITHUB_WORKFLOW", "GITHUB_JOB", "CI_JOB_NAME", "CIRCLE_JOB", "BUILDKITE_LABEL"] as const),
  ...(["GITHUB_BASE_REF", "GITHUB_ACTION"] as const),
  ...(["PR_NUMBER", "CIRCLE_PR_NUMBER", "BUILDKITE_PULL_REQUEST"] as const),
] as const;

/** The used fields of a bundle's `meta.json`. Source: trunk-io/analytics-cli, `bundle/src/bundle_meta.rs`. */
export interface BundleMeta {
  readonly headSha: string;
  readonly headBranch: string;
  readonly bundleId: string;
  readonly variant: string;
  readonly envs: { readonly [name in (typeof usedVariables)[number]]?: string | undefined };
}

/** The branch names that determine the kind of a branch. */
export interface KnownBranches {
  /** The branches that a queue merges into. */
  readonly stable: readonly string[];
  /** The prefix of the queue's test branches. */
  readonly testPrefix: string;
}

/**
 * What was tested, according to the uploader. It names no tree, so a commit SHA is used instead. GitHub Actions names the commit that it
 * checked out: for a pull request, the test merge instead of the head.
 */
export function bundleFacts(
  meta: BundleMeta,
  branches: KnownBranches,
): Omit<TestUploadFacts, "at" | "line"> & { readonly baseBranch: string | null } {
  const { envs, headSha, bundleId, variant } = meta;
  const pr = pullRequestOf(envs);
  const branch = branchOf(meta);
  return {
    headSha: headSha.toLowerCase(),
    treeSha: (envs.GITHUB_SHA || headSha).toLowerCase(),
    branch,
    baseBranch: envs.GITHUB_BASE_REF || null,
    kind: kindOf({ pr, branch, event: envs.GITHUB_EVENT_NAME ?? "" }, branches),
    pr,
    runId: envs.GITHUB_RUN_ID || bundleId,
    runAttempt: Math.max(1, Number.parseInt(envs.GITHUB_RUN_ATTEMPT ?? "1", 10) || 1),
    workflow: (envs.GITHUB_WORKFLOW ?? "").slice(0, 255),
    job: envs.GITHUB_JOB || envs.CI_JOB_NAME || envs.CIRCLE_JOB || envs.BUILDKITE_LABEL || "tests",
    variant,
    step: envs.GITHUB_ACTION ?? "",
  };
}

function pullRequestOf(envs: BundleMeta["envs"]): number | null {
  const [, number] = /^refs\/pull\/(\d{1,10})\//.exec(envs.GITHUB_REF ?? "") ?? [];
  const digits = number ?? envs.PR_NUMBER ?? envs.CIRCLE_PR_NUMBER ?? envs.BUILDKITE_PULL_REQUEST ?? "";
  return /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : null;
}

function branchOf({ headBranch, envs }: BundleMeta): string {
  const [, ofPush] = /^refs\/heads\/(.+)$/.exec(envs.GITHUB_REF ?? "") ?? [];
  const named = envs.GITHUB_HEAD_REF || ofPush || headBranch;
  return named.replace(/^refs\/(?:heads|remotes\/origin)\//, "") || "HEAD";
}

/** For these events, the commit may differ from the tested one. */
const doubtfulEvents = ["workflow_run", "pull_request_target", "issue_comment"];

/** A branch that is neither known nor a pull request counts like a pull request, because its own changes may cause its failures. */
function kindOf(
  { pr, branch, event }: { readonly pr: number | null; readonly branch: string; readonly event: string },
  { stable, testPrefix }: KnownBranches,
): TestBranchKind {
  if (doubtfulEvents.includes(event)) return "unknown";
  if (pr !== null) return "pr";
  if (branch.startsWith(testPrefix)) return "queue";
  if (stable.length === 0) return "unknown";
  return stable.includes(branch) ? "stable" : "pr";
}
