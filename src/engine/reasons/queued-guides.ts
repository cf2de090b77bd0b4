import type { ReasonCode, ReasonGuide } from "./reason.ts";

export const queuedGuides = {
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
  SUBMITTED_BY_CHECK: {
    kind: "submitted",
    meaning: "`Re-run` on the queue's check submitted it.",
    advice: null,
  },
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
    meaning:
      "The branch's rules ask for an approval that it lacks, or that became stale or was dismissed. If the text quotes an answer of GitHub instead, update Trainyard, which does not know that answer.",
    advice: "Ask for a review. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  CONVERSATIONS_OPEN: {
    kind: "waits",
    meaning: "The branch's rules ask for resolved conversations, and some are open.",
    advice: "Resolve the conversations. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  STATE_UNKNOWN: {
    kind: "waits",
    meaning: "GitHub names a state of the pull request that this version of Trainyard does not know.",
    advice: "Update Trainyard. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  HEAD_CHECKS_FAILED: {
    kind: "waits",
    meaning:
      "A check that the queue takes from the pull request's own head (`acceptFromHead`) failed there, such as DCO, CLA or a title lint.",
    advice:
      "Fix what the check reports. It keeps its place if it is ready again within `reviewGraceMinutes`.",
  },
  DEPENDS_ON: {
    kind: "waits",
    meaning:
      "Its description says `Depends-On: #N`, and #N has not merged into the same branch. Or a line that begins like this cannot be read.",
    advice:
      "Submit #N, too; this one is tested once that has merged. Or remove the line. If the line cannot be read, write `Depends-On: #12`.",
  },
  PART_OF_STACK: {
    kind: "waits",
    meaning:
      "It belongs to a stack of pull requests, which GitHub merges by its asynchronous API only, from the lowest one up.",
    advice:
      "Take it out of the stack (Unstack on its page), or set the queue's `mergeBy` to `async_api` and submit the stack from the lowest pull request up.",
  },
  PLACE_LOST: {
    kind: "waits",
    meaning: "It was not ready for longer than `reviewGraceMinutes`, and went to the end of the line.",
    advice: null,
  },
  REBASED: {
    kind: "tested again",
    meaning:
      "A bot in `rebasingBots` of the repository file pushed the same patch on a newer base. It is tested again in its place, as soon as GitHub shows the new head as mergeable.",
    advice: null,
  },
  TESTS_STARTED: { kind: "tested again", meaning: "Its tests have started.", advice: null },
  RESTARTED: { kind: "tested again", meaning: "Somebody restarted its tests.", advice: null },
  BASE_MOVED: {
    kind: "tested again",
    meaning: "The target branch has changed since its test began.",
    advice: null,
  },
  AHEAD_FAILED: {
    kind: "tested again",
    meaning: "A pull request ahead of it failed, or its batch did, and its test contained that one.",
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
  REQUIRED_CHECKS_CHANGED: {
    kind: "tested again",
    meaning:
      "The checks that must pass were changed after its test began. A new one counts if it has passed on the test commit, and is waited for otherwise; if CI does not start it there, the pull request is tested again in its place.",
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
  FAILED_ONCE: {
    kind: "tested again",
    meaning:
      "Its tests failed once. It is tested once more before it is removed, behind the pull requests that are submitted within thirty durations of a test, or earlier if a slot is idle.",
    advice:
      "Nothing if the failure is a flake. Otherwise push a fix and queue it again: you need not wait for the second test.",
  },
  RETESTED: {
    kind: "tested again",
    meaning: "It failed, and is tested once more before it is blamed.",
    advice: null,
  },
  OVERTAKEN: {
    kind: "tested again",
    meaning:
      "Another pull request merged first. The test of this one began on the old base, and does not count any more.",
    advice: null,
  },
  SLOT_NEEDED: {
    kind: "tested again",
    meaning: "Its slot was needed for another test.",
    advice: null,
  },
  VERDICT_KNOWN: {
    kind: "tested again",
    meaning: "Its test was stopped, because its result is no longer needed.",
    advice: null,
  },
  BISECTION_REQUIRED: {
    kind: "tested again",
    meaning: "Its batch failed, and parts of it are tested to find the culprit.",
    advice: null,
  },
  NOTHING_PASSES: {
    kind: "tested again",
    meaning:
      "Pull requests failed one after another, and nothing passed in between, or the target branch failed by itself. So nobody is removed for a while, at most two hours or four tests. Until something passes, one test runs at a time, and the target branch is tested by itself now and then.",
    advice: "Check whether the target branch passes its own tests. A fix can go first with `--urgent`.",
  },
  INFRASTRUCTURE_ERROR: {
    kind: "tested again",
    meaning:
      "CI or GitHub has probably failed, not the pull request. The message says what was seen. It is tried again after a while.",
    advice: null,
  },
  FLAKY_TESTS_RETRIED: {
    kind: "tested again",
    meaning: "Only tests that are known to be flaky failed, and their jobs run again.",
    advice: null,
  },
  NEW_TESTS_RETRIED: {
    kind: "tested again",
    meaning: "Only new tests failed, and their jobs run again once.",
    advice: null,
  },
  RETRY_REFUSED: {
    kind: "tested again",
    meaning: "GitHub refused to run the failed jobs again, so the failure counts.",
    advice: "An administrator grants the App `actions: write`.",
  },
  TESTS_PASSED: { kind: "passed", meaning: "Every required check passed.", advice: null },
  SUCCESSOR_PASSED: {
    kind: "passed",
    meaning: "A pull request behind it passed, and that test contained this one.",
    advice: null,
  },
  IMPLIED_BY_BISECTION: {
    kind: "passed",
    meaning: "Another pull request of its batch is the culprit.",
    advice: null,
  },
  PASSED_ALONE: { kind: "passed", meaning: "It passed in a test of its own.", advice: null },
} as const satisfies Partial<Record<ReasonCode, ReasonGuide>>;
