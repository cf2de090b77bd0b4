import { createHash } from "node:crypto";
import { asClause } from "../../engine/reasons/sentence.ts";
import { ProgramFailed } from "../child-process.ts";
import { type GitEnvironment, gitLine, gitLines } from "../git/git.ts";
import { StepError } from "../step.ts";
import { compileGlobs, includes } from "../targets/globs.ts";
import type { Workflow } from "../workflow.ts";
import type { TestKind, UploadTestsInputs } from "./read-inputs.ts";

/** The code that was tested. */
interface Tested {
  readonly headSha: string;
  readonly treeSha: string;
  /** The commit that the tested one is built on; null = unknown. */
  readonly baseSha: string | null;
  readonly branch: string;
  readonly kind: TestKind;
  /** The pull request, if known. */
  readonly pr: number | null;
  /** Why the kind is `unknown` although no input says so; null = there is no doubt. */
  readonly doubt: string | null;
}

/** The prefix of the test branches of GitHub's own merge queue. */
const ownQueuePrefix = "gh-readonly-queue/";

/** @throws StepError when neither the workflow nor the inputs say enough. */
export async function findTested(
  inputs: UploadTestsInputs,
  workflow: Workflow,
  git: GitEnvironment,
): Promise<Tested> {
  const { pullRequest } = workflow;
  const branch = inputs.headBranch ?? workflow.branch;
  const headSha = inputs.headSha ?? pullRequest?.headSha ?? workflow.sha;
  if (branch === null || headSha === null) {
    throw new StepError(
      "What was tested?",
      "The workflow's event names no branch or commit. Run on push, pull_request or merge_group, or set the inputs head-branch and head-sha.",
    );
  }
  const checkout = await readCheckout(git, workflow);
  const isCheckedOut = checkout !== null && testedCommits(inputs, workflow).includes(checkout.commit);
  const kind = inputs.kind ?? kindOf(inputs, workflow, branch);
  const doubt = inputs.kind === null ? doubtOf(inputs, workflow, isCheckedOut) : null;
  return {
    headSha,
    branch,
    treeSha: isCheckedOut ? checkout.tree : standInTree(workflow, headSha),
    baseSha: isCheckedOut ? await findBase(git, checkout.commit, kind, { inputs, workflow }) : null,
    kind: doubt === null ? kind : "unknown",
    pr: inputs.pr ?? pullRequest?.number ?? null,
    doubt,
  };
}

/**
 * The base of a pull request's test merge, of a commit of the queue, and of a stable branch is its first parent. Otherwise the base
 * is the merge base, which only a complete checkout shows.
 */
async function findBase(
  git: GitEnvironment,
  commit: string,
  kind: TestKind,
  { inputs, workflow }: { readonly inputs: UploadTestsInputs; readonly workflow: Workflow },
): Promise<string | null> {
  const { isTestMerge, sha, pullRequest } = workflow;
  if (kind !== "pr" || (isTestMerge && commit === sha)) {
    // Unlike `git log`, this shows the parents that a shallow checkout lacks.
    const [, parent] = await gitLines(git, "cat-file", "commit", commit);
    return /^parent ([\da-f]+)$/.exec(parent ?? "")?.[1] ?? null;
  }
  const target = inputs.targetBranch ?? pullRequest?.baseBranch;
  if (!target) return null;
  if ((await gitLine(git, "rev-parse", "--is-shallow-repository")) === "true") return null;
  try {
    return await gitLine(git, "merge-base", `refs/remotes/origin/${target}`, commit);
  } catch (error) {
    // The checkout does not contain the target branch.
    if (error instanceof ProgramFailed) return null;
    throw error;
  }
}

/** The commits at which the checkout may be. For a pull request, these are its head and its test merge. */
function testedCommits({ headSha }: UploadTestsInputs, { pullRequest, sha, isTestMerge }: Workflow) {
  if (headSha !== null) return [headSha];
  return pullRequest === null ? [sha] : [pullRequest.headSha, isTestMerge ? sha : null];
}

function doubtOf(
  { headSha, headBranch, stableBranches }: UploadTestsInputs,
  { followsRun, pullRequest, defaultBranch, sha }: Workflow,
  isCheckedOut: boolean,
): string | null {
  if (followsRun) return "the workflow was started by another one, and does not know what that one tested";
  if (!isCheckedOut && headSha === null) return "the checked-out commit is not in the event";
  if (headSha !== null && headBranch === null && headSha !== (pullRequest?.headSha ?? sha))
    return "head-sha is not the event's commit, and head-branch is not set";
  if (pullRequest === null && headBranch === null && defaultBranch === null && stableBranches.length === 0)
    return "the event does not name the default branch";
  return null;
}

/** Null if there is no checkout and none is needed. */
async function readCheckout(
  git: GitEnvironment,
  { followsRun }: Workflow,
): Promise<{ readonly commit: string; readonly tree: string } | null> {
  try {
    const [commit = "", tree = ""] = (await gitLine(git, "log", "-1", "--format=%H %T"))?.split(" ") ?? [];
    return { commit, tree };
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    if (followsRun) return null;
    const message = `There is no checkout: ${asClause(error.message)}. Run actions/checkout first.`;
    throw new StepError("What was tested?", message, { cause: error });
  }
}

/**
 * Represents the tree of a commit that is not checked out. Uses the run, because every attempt of a run tests the same commit. The head is
 * not enough: it may be tested on several base commits.
 */
function standInTree({ runId }: Workflow, headSha: string): string {
  return createHash("sha1").update(`${runId} ${headSha}`).digest("hex");
}

/**
 * The kind of the tested code, which tells the possible cause of a failure: a pull request, a test branch of the queue, or a stable
 * branch.
 */
function kindOf(
  { testBranchPrefix, stableBranches, apiToken }: UploadTestsInputs,
  { defaultBranch, pullRequest }: Workflow,
  branch: string,
): TestKind {
  // The job's own token is valid only for the pull request that started the job.
  if (pullRequest !== null && apiToken === null) return "pr";
  if (branch.startsWith(testBranchPrefix) || branch.startsWith(ownQueuePrefix)) return "queue";
  if (pullRequest !== null) return "pr";
  const stable =
    stableBranches.length === 0 ? branch === defaultBranch : includes(compileGlobs(stableBranches), branch);
  return stable ? "stable" : "pr";
}
