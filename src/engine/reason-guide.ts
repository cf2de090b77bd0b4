import type { ReasonCode } from "./reason.ts";

/** What a reason means, and what to do about it. Both are whole sentences; `docs/reference/reasons.md` is made of them. */
export interface ReasonGuide {
  readonly kind: "submitted" | "waits" | "tested again" | "passed" | "merged" | "left" | "queue";
  readonly meaning: string;
  /** What the reader does next. Null: nothing, the queue goes on by itself. */
  readonly advice: string | null;
}

export const reasonGuides: Readonly<Record<ReasonCode, ReasonGuide>> = {
  SUBMITTED_BY_USER: {
    kind: "submitted",
    meaning: "A comment with the command `merge` submitted it.",
    advice: null,
  },
  SUBMITTED_BY_LABEL: { kind: "submitted", meaning: "A label submitted it.", advice: null },
  SUBMITTED_BY_AUTO_MERGE: {
    kind: "submitted",
    meaning: "Auto-merge was enabled on it, and the queue takes that as a submission.",
    advice: null,
  },
  SUBMITTED_BY_CHECK: { kind: "submitted", meaning: "`Re-run` on our check submitted it.", advice: null },
  SUBMITTED_BY_API: { kind: "submitted", meaning: "A call of the API submitted it.", advice: null },
  SUBMITTED_BY_ACTION: { kind: "submitted", meaning: "A step of a workflow submitted it.", advice: null },
  READY: { kind: "waits", meaning: "It can be tested, and waits for a free slot.", advice: null },

  CHANGES_REQUESTED: {
    kind: "waits",
    meaning:
      "A reviewer requested changes. It is not tested until the review is dismissed or the reviewer approves.",
    advice: "Answer the review. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  REVIEW_REQUIRED: {
    kind: "waits",
    meaning: "The branch's rules ask for an approval that it lacks, or that became stale or was dismissed.",
    advice: "Ask for a review. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  CONVERSATIONS_OPEN: {
    kind: "waits",
    meaning: "The branch's rules ask for resolved conversations, and some are open.",
    advice: "Resolve the conversations. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  DEPENDS_ON: {
    kind: "waits",
    meaning: "Its description says `Depends-On: #N`, and #N has not merged into the same branch.",
    advice: "Submit #N, too; this one is tested once that has merged. Or remove the line.",
  },
  CONVERTED_TO_DRAFT: {
    kind: "waits",
    meaning: "It was converted to a draft.",
    advice: "Mark it as ready for review.",
  },
  PLACE_LOST: {
    kind: "waits",
    meaning: "It was not ready for longer than `reviewGraceMinutes`, and went to the end of the line.",
    advice: null,
  },

  TESTS_STARTED: { kind: "tested again", meaning: "Its tests have started.", advice: null },
  RESTARTED: { kind: "tested again", meaning: "Somebody restarted its tests.", advice: null },
  BASE_MOVED: {
    kind: "tested again",
    meaning: "The target branch is not what it was tested on any more.",
    advice: null,
  },
  AHEAD_FAILED: {
    kind: "tested again",
    meaning: "A pull request ahead of it failed, and its test contained that one.",
    advice: null,
  },
  AHEAD_CANCELLED: {
    kind: "tested again",
    meaning: "A pull request ahead of it was cancelled, and its test contained that one.",
    advice: null,
  },
  AHEAD_RESTARTED: {
    kind: "tested again",
    meaning: "A pull request ahead of it is tested again, and its test contained that one.",
    advice: null,
  },
  AHEAD_MERGED_BY_HAND: {
    kind: "tested again",
    meaning: "A pull request ahead of it was merged outside the queue.",
    advice: null,
  },
  AHEAD_HELD: {
    kind: "tested again",
    meaning: "A pull request ahead of it waits for something, and its test contained that one.",
    advice: null,
  },
  TARGETS_CHANGED: {
    kind: "tested again",
    meaning: "Its impacted targets changed, so it stands behind other pull requests now.",
    advice: null,
  },
  CONFLICT_WITH_AHEAD: {
    kind: "tested again",
    meaning: "It conflicts with pull requests ahead of it. It is tested once they have merged or left.",
    advice: "Nothing, unless the conflict stays: then update the branch.",
  },
  INTERRUPTED_BY_URGENT: {
    kind: "tested again",
    meaning: "An urgent pull request took its slot.",
    advice: null,
  },
  RETESTED: {
    kind: "tested again",
    meaning: "It failed, and is tested once more before it is blamed.",
    advice: null,
  },
  OVERTAKEN: {
    kind: "tested again",
    meaning: "Another pull request merged first, and its test does not count on the new base.",
    advice: null,
  },
  SLOT_NEEDED: { kind: "tested again", meaning: "Its slot serves a test that tells more.", advice: null },
  VERDICT_KNOWN: {
    kind: "tested again",
    meaning: "What its test was to find out is known, so the test ended.",
    advice: null,
  },
  BISECTION_REQUIRED: {
    kind: "tested again",
    meaning: "Its batch failed, and parts of it are tested to find the culprit.",
    advice: null,
  },
  INFRASTRUCTURE_ERROR: {
    kind: "tested again",
    meaning: "CI or GitHub failed, not the pull request. It is tried again after a while.",
    advice: null,
  },
  FLAKY_TESTS_RETRIED: {
    kind: "tested again",
    meaning: "Only tests that are known to be flaky failed, and their jobs run again.",
    advice: null,
  },
  RETRY_REFUSED: {
    kind: "tested again",
    meaning: "GitHub does not run the failed jobs again, so the failure counts.",
    advice: "An administrator grants the App `actions: write`.",
  },

  TESTS_PASSED: { kind: "passed", meaning: "Every required check passed.", advice: null },
  SUCCESSOR_PASSED: {
    kind: "passed",
    meaning: "A pull request behind it passed, and that test contained this one.",
    advice: null,
  },
  IMPLIED_BY_BISECTION: { kind: "passed", meaning: "The culprit of its batch is another one.", advice: null },
  PASSED_ALONE: { kind: "passed", meaning: "It passed in a test of its own.", advice: null },

  MERGED_IN_ORDER: {
    kind: "merged",
    meaning: "It merged. The proof says how it is known that what merged is what passed.",
    advice: null,
  },
  DIRECT_MERGED: {
    kind: "merged",
    meaning: "Its head was up to date and green, so it merged without another test.",
    advice: null,
  },
  MERGED_BY_OTHERS: { kind: "merged", meaning: "It was merged outside the queue.", advice: null },
  TREE_MISMATCH: {
    kind: "merged",
    meaning: "The target branch holds a tree that no test saw. The queue is paused.",
    advice:
      "An administrator compares the two trees of the message, repairs the branch if need be, and sets the queue to `running`.",
  },

  CHECKS_FAILED: {
    kind: "left",
    meaning: "Required checks failed when it was tested on the target branch with what is ahead of it.",
    advice: "Look at the failed checks, and push a fix.",
  },
  TESTS_CANCELLED: {
    kind: "left",
    meaning:
      "Its tests were cancelled several times in a row, by people or by the workflow's own `concurrency` group.",
    advice: `Put the branch into the group, such as \`group: ci-$\{{ github.ref }}\`, or let nothing cancel the runs of test branches.`,
  },
  TESTING_TIMEOUT: {
    kind: "left",
    meaning:
      "Required checks did not report within `testingTimeoutMinutes`. The message names those that are missing.",
    advice: "Find out why they did not report: CI has to run for the test branches.",
  },
  MERGE_CONFLICT_WITH_BASE: {
    kind: "left",
    meaning: "It conflicts with the target branch.",
    advice: "Update the branch, and resolve the conflict.",
  },
  EMPTY_PULL_REQUEST: {
    kind: "left",
    meaning: "It changes nothing on the target branch.",
    advice: "Close it, or push what is missing.",
  },
  NO_REQUIRED_CHECKS: {
    kind: "left",
    meaning: "Nothing is required, so there is nothing to test.",
    advice:
      "An administrator sets required checks in the branch's protection, or `requiredStatuses` of the queue.",
  },
  CONFIGURATION_INVALID: {
    kind: "left",
    meaning: "`.github/trainyard.yml` cannot be read on the target branch.",
    advice: "Correct the file: the message names the line.",
  },
  PERMISSION_DENIED: {
    kind: "left",
    meaning: "GitHub does not let the App do what it has to do for this pull request.",
    advice: "An administrator grants what the message names.",
  },
  RETRIES_EXHAUSTED: {
    kind: "left",
    meaning: "It could not be tested for a day.",
    advice: "Look at the message.",
  },
  READINESS_TIMEOUT: {
    kind: "left",
    meaning: "It was not ready for too long.",
    advice: "See to what it waited for.",
  },
  MERGE_REFUSED: {
    kind: "left",
    meaning: "GitHub refused to merge it, for a cause of its own.",
    advice: "Do what the message says.",
  },
  HEAD_CHANGED: {
    kind: "left",
    meaning: "It was pushed to in the moment of merging.",
    advice: "Look at what was pushed.",
  },
  PUSHED_TO: {
    kind: "left",
    meaning: "It was pushed to, and nobody submitted the new head.",
    advice: "Look at what was pushed.",
  },
  PR_CLOSED: { kind: "left", meaning: "It was closed.", advice: "Reopen it." },
  BASE_BRANCH_CHANGED: {
    kind: "left",
    meaning: "Its base branch was changed to one that this queue does not merge into.",
    advice: "Use the queue of that branch, or change the base back.",
  },
  CANCELLED_BY_USER: { kind: "left", meaning: "A command in a comment took it out.", advice: null },
  CANCELLED_BY_API: { kind: "left", meaning: "A call of the API took it out.", advice: null },
  LABEL_REMOVED: { kind: "left", meaning: "The label that submits it was removed.", advice: null },
  AUTO_MERGE_DISABLED: { kind: "left", meaning: "Auto-merge was disabled on it.", advice: null },

  CONFIGURED: { kind: "queue", meaning: "An administrator changed the queue's state.", advice: null },
  MERGING_NOT_ALLOWED: {
    kind: "queue",
    meaning:
      "A rule of the branch or a setting of the repository forbids every merge. The queue is paused, and nobody leaves it.",
    advice: "An administrator does what the message says, and sets the queue to `running`.",
  },
  BUILDING_NOT_ALLOWED: {
    kind: "queue",
    meaning:
      "A rule forbids the branches that the queue makes for its tests. The queue is paused, and nobody leaves it.",
    advice: "An administrator does what the message says, and sets the queue to `running`.",
  },
  APP_SUSPENDED: {
    kind: "queue",
    meaning: "The App is suspended on the owner's account.",
    advice: "An owner unsuspends it. The queue then goes on by itself.",
  },
  APP_UNINSTALLED: {
    kind: "queue",
    meaning: "The App is not installed on the owner's account.",
    advice: "An owner installs it again. The queue then goes on by itself.",
  },
  APP_PERMISSIONS_NOT_GRANTED: {
    kind: "queue",
    meaning: "The owner has not accepted permissions that the App needs.",
    advice: "An owner accepts them. The queue then goes on by itself.",
  },
  REPOSITORY_UNREACHABLE: {
    kind: "queue",
    meaning: "The App cannot see the repository: it was deleted or transferred, or access was removed.",
    advice: "An owner gives the App access, or an administrator deletes the queue.",
  },
  REPOSITORY_ARCHIVED: {
    kind: "queue",
    meaning: "The repository is archived, and cannot be changed.",
    advice: "An administrator unarchives it. The queue then goes on by itself.",
  },
  BRANCH_MISSING: {
    kind: "queue",
    meaning: "The target branch does not exist.",
    advice: "Create it again, or delete the queue.",
  },
  OBSTACLE_GONE: { kind: "queue", meaning: "What stopped the queue is gone, and it goes on.", advice: null },
};

export const guideOf = (code: ReasonCode): ReasonGuide => reasonGuides[code];
