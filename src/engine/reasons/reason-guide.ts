import { queuedGuides } from "./queued-guides.ts";
import type { ReasonCode, ReasonGuide } from "./reason.ts";

export const reasonGuides: Readonly<Record<ReasonCode, ReasonGuide>> = {
  ...queuedGuides,

  // Why a pull request left the queue, merged or not.
  MERGED_IN_ORDER: {
    kind: "merged",
    meaning: "It merged. The proof shows that what merged had passed its tests.",
    advice: null,
  },
  DIRECT_MERGED: {
    kind: "merged",
    meaning: "Its head was up to date and green, so it merged without another test.",
    advice: null,
  },
  MERGED_BY_OTHERS: {
    kind: "merged",
    meaning:
      "It was merged outside the queue, or together with another pull request that has the same commit.",
    advice: null,
  },
  TREE_MISMATCH: {
    kind: "merged",
    meaning: "The target branch has a tree that was not tested. The queue is paused.",
    advice:
      "An administrator runs CI on the branch if the message names a push, because that push and the pull request were not tested together; otherwise compares the two trees of the message. Then repairs the branch if necessary, and sets the queue to `running`.",
  },
  CHECKS_FAILED: {
    kind: "left",
    cause: "required_check_failed",
    next: "push_fix",
    meaning:
      "Required checks failed when it was tested together with the target branch and what was ahead of it.",
    advice: "Look at the failed checks, and push a fix.",
  },
  TESTS_CANCELLED: {
    kind: "left",
    cause: "flaky_or_infrastructure",
    next: "ask_person",
    meaning:
      "Its tests were cancelled several times in a row, by people or by the workflow's own `concurrency` group.",
    advice: `Put the branch into the group, such as \`group: ci-$\{{ github.ref }}\`, or let nothing cancel the runs of test branches.`,
  },
  REQUIRED_CHECK_MISSING: {
    kind: "left",
    cause: "flaky_or_infrastructure",
    next: "ask_person",
    meaning:
      "Everything on its test branch has finished, but required checks have not appeared there for `missingCheckMinutes`.",
    advice:
      "An administrator lets the check run on pushes to the test branches, names it in `acceptFromHead` if it only looks at pull requests, or no longer requires it.",
  },
  TESTING_TIMEOUT: {
    kind: "left",
    cause: "flaky_or_infrastructure",
    next: "requeue",
    meaning:
      "Required checks did not report within `testingTimeoutMinutes`, or within twice the time of a long test (`testingTimeout`). The message names those that are missing.",
    advice: "Find out why they did not report: CI has to run for the test branches.",
  },
  MERGE_CONFLICT_WITH_BASE: {
    kind: "left",
    cause: "conflict",
    next: "update_branch",
    meaning: "It conflicts with the target branch.",
    advice: "Update the branch, and resolve the conflict.",
  },
  REBASE_NOT_POSSIBLE: {
    kind: "left",
    cause: "conflict",
    next: "update_branch",
    meaning:
      "GitHub does not rebase it: one of its commits conflicts by itself, rebasing them gives another tree than merging them, or there are more than 100.",
    advice: "Rebase the branch onto the target branch and push it, or squash its commits into one.",
  },
  EMPTY_PULL_REQUEST: {
    kind: "left",
    cause: "not_ready",
    next: "push_fix",
    meaning: "It changes nothing on the target branch.",
    advice: "Close it, or push what is missing.",
  },
  NO_REQUIRED_CHECKS: {
    kind: "left",
    cause: "refused",
    next: "ask_person",
    meaning: "Nothing is required, so there is nothing to test.",
    advice:
      "An administrator sets required checks in the branch's protection, or `requiredStatuses` of the queue.",
  },
  CONFIGURATION_INVALID: {
    kind: "left",
    cause: "refused",
    next: "ask_person",
    meaning:
      "`.github/trainyard.yml` on the target branch cannot be read, is there twice, or is missing while a file such as `trainyard.yml` in the root is there.",
    advice: "Correct the file, or move it: the message names the line or the file.",
  },
  PERMISSION_DENIED: {
    kind: "left",
    cause: "refused",
    next: "ask_person",
    meaning: "GitHub does not let the App merge this pull request, although it lets it merge others.",
    advice: "An administrator grants the App the permission that the reason names.",
  },
  RETRIES_EXHAUSTED: {
    kind: "left",
    cause: "flaky_or_infrastructure",
    next: "ask_person",
    meaning: "It could not be tested for a day.",
    advice: "Wait until the error that the reason names is over.",
  },
  READINESS_TIMEOUT: {
    kind: "left",
    cause: "not_ready",
    next: "make_ready",
    meaning: "It was not ready for too long.",
    advice: "Make it ready, for example by resolving a conflict or getting a review.",
  },
  MERGE_REFUSED: {
    kind: "left",
    cause: "refused",
    next: "ask_person",
    meaning:
      "GitHub refused to merge it, for a reason that concerns only this pull request, or that has not stopped another one since.",
    advice:
      "Change what GitHub objects to, such as a missing review, signature or scan: the reason names it.",
  },
  HEAD_CHANGED: {
    kind: "left",
    cause: "superseded",
    next: "submit_new_head",
    meaning: "New commits were pushed to it while it was being merged.",
    advice: "Review the new commits.",
  },
  PUSHED_TO: {
    kind: "left",
    cause: "superseded",
    next: "submit_new_head",
    meaning: "New commits were pushed, and nobody has submitted them.",
    advice: "Review the new commits.",
  },
  CONVERTED_TO_DRAFT: {
    kind: "left",
    cause: "not_ready",
    next: "make_ready",
    meaning: "It was converted to a draft.",
    advice: "Mark it as ready for review.",
  },
  PR_CLOSED: {
    kind: "left",
    cause: "cancelled",
    next: "ask_person",
    meaning: "It was closed.",
    advice: "Reopen it. If its branch was deleted, restore that first.",
  },
  BASE_BRANCH_CHANGED: {
    kind: "left",
    cause: "superseded",
    next: "ask_person",
    meaning: "Its base branch was changed to one that this queue does not merge into.",
    advice: "Use the queue of that branch, or change the base back.",
  },
  CANCELLED_BY_USER: {
    kind: "left",
    cause: "cancelled",
    next: "ask_person",
    meaning: "Somebody removed it, by a comment or on a page of the service.",
    advice: null,
  },
  CANCELLED_BY_API: {
    kind: "left",
    cause: "cancelled",
    next: "ask_person",
    meaning: "A call of the API removed it.",
    advice: null,
  },
  LABEL_REMOVED: {
    kind: "left",
    cause: "cancelled",
    next: "ask_person",
    meaning: "The label that submits it was removed.",
    advice: null,
  },
  AUTO_MERGE_DISABLED: {
    kind: "left",
    cause: "cancelled",
    next: "ask_person",
    meaning: "Auto-merge was disabled on it.",
    advice: null,
  },

  // Why the queue itself runs, drains or is paused.
  CONFIGURED: { kind: "queue", meaning: "An administrator changed the queue's state.", advice: null },
  MERGING_NOT_ALLOWED: {
    kind: "queue",
    meaning:
      "A rule of the branch or a setting of the repository forbids every merge, or two pull requests in a row were refused for the same cause. The queue is paused, and every pull request keeps its place.",
    advice:
      "An administrator changes the rule or setting that the reason names, or lets the App bypass it, and sets the queue to `running`. If only those two are at fault, cancel the second one first.",
  },
  BUILDING_NOT_ALLOWED: {
    kind: "queue",
    meaning:
      "A rule forbids the branches that the queue makes for its tests, or the test commits of two pull requests in a row were refused for the same cause. The queue is paused, and every pull request keeps its place.",
    advice:
      "An administrator changes the rule that the reason names, or lets the App bypass it, and sets the queue to `running`.",
  },
  APP_SUSPENDED: {
    kind: "queue",
    meaning: "The App is suspended on the owner's account.",
    advice: "An owner unsuspends it. The queue then continues by itself.",
  },
  APP_UNINSTALLED: {
    kind: "queue",
    meaning: "The App is not installed on the owner's account.",
    advice: "An owner installs it again. The queue then continues by itself.",
  },
  APP_PERMISSIONS_NOT_GRANTED: {
    kind: "queue",
    meaning: "The owner has not accepted permissions that the App needs.",
    advice: "An owner accepts them. The queue then continues by itself.",
  },
  REPOSITORY_UNREACHABLE: {
    kind: "queue",
    meaning: "The App cannot see the repository: it was deleted or transferred, or access was removed.",
    advice: "An owner gives the App access, or an administrator deletes the queue.",
  },
  REPOSITORY_ARCHIVED: {
    kind: "queue",
    meaning: "The repository is archived, and cannot be changed.",
    advice: "An administrator unarchives it. The queue then continues by itself.",
  },
  BRANCH_MISSING: {
    kind: "queue",
    meaning: "The target branch does not exist.",
    advice: "Create it again, or delete the queue.",
  },
  OLDER_INSTANCE: {
    kind: "queue",
    meaning:
      "An older service with the same App and another database works on the repository. This one writes nothing there.",
    advice: "Stop one of the two services, or delete the queue of one.",
  },
  OBSTACLE_GONE: {
    kind: "queue",
    meaning: "What stopped the queue has been resolved, and it continues.",
    advice: null,
  },
};
