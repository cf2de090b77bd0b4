/** Why GitHub refuses a merge or a branch, as recognised from its message. */
export type RefusalCause =
  // These affect only one pull request:
  | "WORKFLOWS_PERMISSION_MISSING"
  | "REVIEW_MISSING"
  | "FILE_RULE"
  | "REBASE_NOT_POSSIBLE"
  // These may affect one pull request, or all of them:
  | "COMMIT_MESSAGE_RULE"
  | "SIGNATURE_MISSING"
  | "CODE_SCANNING_MISSING"
  | "DEPLOYMENT_MISSING"
  /** The message is not recognised. */
  | "OTHER"
  // These affect all pull requests:
  | "BRANCH_LOCKED"
  | "UPDATES_RESTRICTED"
  | "MERGE_QUEUE_REQUIRED"
  | "MERGE_METHOD_OFF"
  | "LINEAR_HISTORY_REQUIRED"
  | "ASYNC_MERGE_UNAVAILABLE"
  | "CREATION_RESTRICTED"
  | "BRANCH_NAME_RULE"
  /** A rule forbids the commits on the queue's own branches. */
  | "OWN_BRANCH_RULE"
  /** Another branch has a name above or below that of the queue's own branch. */
  | "BRANCH_IN_THE_WAY"
  /** GitHub does not sign the commits that it rebases. */
  | "REBASE_NOT_SIGNED"
  /** A head must contain the tip of the target branch, which it was tested on. */
  | "UP_TO_DATE_REQUIRED";

const ofOne: ReadonlySet<RefusalCause> = new Set([
  "WORKFLOWS_PERMISSION_MISSING",
  "REVIEW_MISSING",
  "FILE_RULE",
  "REBASE_NOT_POSSIBLE",
]);

/** What to do about an unclear cause if it affects all pull requests. */
const adviceToAll = {
  COMMIT_MESSAGE_RULE:
    "change the pattern in the branch's rules or the queue's commitTitle and commitMessage in .github/trainyard.yml so that they fit, or let the App bypass that ruleset in mode Exempt",
  SIGNATURE_MISSING:
    "set the queue's mergeMethod to squash, or drop Require signed commits from the branch's rules",
  CODE_SCANNING_MISSING:
    "find out why code scanning does not report on the heads, or take it out of the branch's rules",
  DEPLOYMENT_MISSING:
    "deploy the heads of pull requests before they are submitted, or drop Require deployments to succeed from the branch's rules",
  OTHER: "look at the branch's rules, at hooks, and at the App's permissions",
} as const satisfies Partial<Record<RefusalCause, string>>;

/** Which pull requests a refusal concerns, as far as its cause tells. */
export function scopeOf(cause: RefusalCause): "one" | "all" | "unclear" {
  if (ofOne.has(cause)) return "one";
  return cause in adviceToAll ? "unclear" : "all";
}

const advice: Readonly<Record<RefusalCause, string>> = {
  WORKFLOWS_PERMISSION_MISSING:
    "it changes workflow files; give the App the permission Workflows (read and write) and accept it where the App is installed, or merge this pull request by hand",
  REVIEW_MISSING: "get the review that the branch's rules ask for, then submit it again",
  COMMIT_MESSAGE_RULE:
    "a commit message or the title breaks a rule of the branch; change it, then submit the pull request again",
  FILE_RULE: "it changes files that a rule forbids; take them out, or let the App bypass that ruleset",
  SIGNATURE_MISSING: "sign its commits, or set the queue's mergeMethod to squash",
  CODE_SCANNING_MISSING: "wait for the code scanning results of its head, then submit it again",
  DEPLOYMENT_MISSING:
    "deploy its head to the environments that the branch's rules name, then submit it again",
  REBASE_NOT_POSSIBLE:
    "rebase its branch onto the target branch and push it, or squash its commits into one, then submit it again",
  BRANCH_LOCKED: "the branch is read-only: untick Lock branch in its protection",
  UPDATES_RESTRICTED:
    "add the App to the bypass list of the ruleset that restricts updates, in mode Exempt, or to those who may push to the branch",
  MERGE_QUEUE_REQUIRED:
    "remove the rule Require merge queue from the branch, or add the App to that ruleset's bypass list in mode Exempt",
  MERGE_METHOD_OFF: "allow the queue's mergeMethod in the repository's settings, or set another one",
  LINEAR_HISTORY_REQUIRED: "set the queue's mergeMethod to squash or rebase, or drop Require linear history",
  ASYNC_MERGE_UNAVAILABLE: "set the queue's mergeBy to auto",
  CREATION_RESTRICTED:
    "add the App to the bypass list of the ruleset that restricts creations, in mode Exempt, or exclude the queue's branches from it",
  BRANCH_NAME_RULE:
    "add the App to the bypass list of the ruleset with the name pattern, in mode Exempt, or set TRAINYARD_TEST_BRANCH_PREFIX and TRAINYARD_SCRATCH_BRANCH_PREFIX to what it allows",
  OWN_BRANCH_RULE:
    "exclude the queue's branches (refs/heads/trainyard-*/**/*) from the ruleset, or add the App to its bypass list in mode Exempt",
  BRANCH_IN_THE_WAY:
    "git has no branch below the name of another one: rename or delete the one in the way, or set TRAINYARD_TEST_BRANCH_PREFIX and TRAINYARD_SCRATCH_BRANCH_PREFIX to names that are free",
  REBASE_NOT_SIGNED:
    "set the queue's mergeMethod to squash or merge_commit, or drop Require signed commits from the branch's rules",
  UP_TO_DATE_REQUIRED:
    "untick Require branches to be up to date before merging (the queue ensures it), or let the App bypass that ruleset in mode Exempt",
  OTHER: "look at the branch's rules and at the App's permissions",
};

/** Advice about a refusal, as a clause. */
export function adviseOn(cause: RefusalCause, toAll = false): string {
  const ofAll: Partial<Record<RefusalCause, string>> = adviceToAll;
  return (toAll ? ofAll[cause] : undefined) ?? advice[cause];
}

/** Why GitHub would refuse to rebase a pull request that merges cleanly. */
export type RebaseObstacle =
  /** One of its commits conflicts. */
  | "conflict"
  /** The rebased commits give a different tree than a merge. */
  | "result"
  /** It has more commits than GitHub rebases. */
  | "commits";

const rebaseObstacles: Readonly<Record<RebaseObstacle, string>> = {
  conflict: "merges cleanly as a whole, but one of its commits conflicts when they are rebased one by one",
  result: "cannot be rebased, because rebasing its commits gives another tree than merging them",
  commits: "cannot be rebased, because it has more than 100 commits",
};

/** The obstacle as a sentence without a full stop. */
export function renderRebaseObstacle(obstacle: RebaseObstacle): string {
  return rebaseObstacles[obstacle];
}
