import type { Place } from "./place.ts";
import type { Removal } from "./removal.ts";

const endless = { requiredStatuses: ["never"] } as const;
/** Users need an approval; the rules do not bind the App. */
const reviewed = { protection: { requiredReviews: 1, dismissStaleReviews: true, bypass: ["trainyard"] } };

async function notReady(place: Place, pr: number): Promise<number> {
  await place.until(pr, "not_ready");
  return pr;
}

/** An approved pull request under test, and the id of the approval. */
async function approved(place: Place): Promise<{ pr: number; review: number }> {
  const pr = await place.openPullRequest("one");
  const review = await place.review(pr, "APPROVE");
  await place.submit(pr);
  await place.until(pr, "testing");
  return { pr, review };
}

/** What reviewers, dependencies and the branch itself demand. */
export const notReadyRemovals: readonly Removal[] = [
  {
    name: "changes are requested while it is tested",
    place: { queue: endless, repository: reviewed },
    play: async (place) => {
      const { pr } = await approved(place);
      await place.review(pr, "REQUEST_CHANGES");
      return notReady(place, pr);
    },
    ...{ reason: "CHANGES_REQUESTED", cause: null, next: "make_ready" },
  },
  {
    name: "its approval is dismissed while it is tested",
    place: { queue: endless, repository: reviewed },
    play: async (place) => {
      const { pr, review: review_id } = await approved(place);
      const dismissal = { ...place.at, pull_number: pr, review_id, message: "On second thoughts." };
      await place.octokit("admin").rest.pulls.dismissReview(dismissal);
      return notReady(place, pr);
    },
    ...{ reason: "REVIEW_REQUIRED", cause: null, next: "make_ready" },
  },
  {
    name: "its approval is of an older commit",
    place: { queue: endless, repository: reviewed },
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      await place.review(pr, "APPROVE");
      await place.push("one", { "more.txt": "1\n" });
      await place.submit(pr);
      return notReady(place, pr);
    },
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "a conversation is opened while it is tested",
    place: {
      queue: endless,
      repository: {
        protection: { requiredReviews: 0, conversationResolution: true, bypass: ["trainyard"] },
      },
    },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.review(pr, "COMMENT", ["Why?"]);
      return notReady(place, pr);
    },
    ...{ reason: "CONVERSATIONS_OPEN", cause: null, next: "make_ready" },
  },
  {
    name: "a check that the queue takes from its head fails there",
    place: { queue: { requiredStatuses: ["never", "DCO"], acceptFromHead: ["DCO"] } },
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      const report = async (state: "success" | "failure") =>
        place.stage.sandbox.reportStatus(place.fullName, {
          ...{ sha: await place.tipOf("one"), context: "DCO", state },
        });
      await report("success");
      await place.submit(pr);
      await place.until(pr, "testing");
      await report("failure");
      return notReady(place, pr);
    },
    ...{ reason: "HEAD_CHECKS_FAILED", cause: null, next: "make_ready" },
  },
  {
    name: "a required check of the branch fails on its head",
    place: { repository: { protection: { requiredChecks: ["build"] } }, ci: { pullRequests: true } },
    play: async (place) => {
      const pr = await place.submitted("one", { "facts/one.json": '{"broken":true}\n' });
      await place.untilWaits(pr, "NOT_MERGEABLE");
      return notReady(place, pr);
    },
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "it is a draft when it is submitted",
    play: async (place) => notReady(place, await place.submitted("one", undefined, { draft: true })),
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "its base branch is not the queue's",
    play: async (place) => {
      await place.createBranch("other");
      return notReady(place, await place.submitted("one", undefined, { base: "other" }));
    },
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "its dependency is open",
    place: { queue: { state: "paused" } },
    play: async (place) => {
      const other = await place.submitted("other");
      return notReady(place, await place.submitted("one", undefined, { body: `Depends-On: #${other}` }));
    },
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "wait", blockedBy: [1] },
  },
  {
    name: "its dependency is closed without a merge",
    play: async (place) => {
      const other = await place.openPullRequest("other");
      await place.update(other, { state: "closed" });
      return notReady(place, await place.submitted("one", undefined, { body: `Depends-On: #${other}` }));
    },
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "a dependency is added that depends on it",
    place: { queue: endless },
    play: async (place) => {
      const other = await place.openPullRequest("other", undefined, { body: "Depends-On: #2" });
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.update(pr, { body: `Depends-On: #${other}` });
      return notReady(place, pr);
    },
    ...{ reason: "DEPENDS_ON", cause: null, next: "make_ready", blockedBy: [1] },
  },
  {
    name: "its dependency cannot be read",
    play: async (place) =>
      notReady(place, await place.submitted("one", undefined, { body: "Depends-On: soon" })),
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "it becomes part of a stack while it is tested",
    play: async (place) => {
      place.job = place.gate.lastStep;
      const pr = await place.submitted("low");
      await place.until(pr, "testing");
      const high = await place.openPullRequest("high", undefined, { base: "low", from: "low" });
      place.stage.sandbox.stack(place.fullName, [pr, high]);
      place.gate.open();
      return notReady(place, pr);
    },
    ...{ reason: "PART_OF_STACK", cause: null, next: "make_ready" },
  },
  {
    name: "its impacted targets are unknown",
    place: { queue: { mode: "parallel" } },
    play: async (place) => notReady(place, await place.submitted("one")),
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "wait" },
  },
  {
    name: "it conflicts with main when it is submitted",
    play: async (place) => {
      const pr = await place.openPullRequest("one", { "notes.txt": "Mine.\n" });
      await place.pushToMain({ "notes.txt": "Ours.\n" });
      await place.submit(pr);
      await place.untilWaits(pr, "NOT_MERGEABLE");
      return notReady(place, pr);
    },
    ...{ reason: "SUBMITTED_BY_API", cause: null, next: "make_ready" },
  },
  {
    name: "it comes to conflict with main while it waits",
    place: { queue: { state: "paused" } },
    play: async (place) => {
      const pr = await place.submitted("one", { "notes.txt": "Mine.\n" });
      await place.until(pr, "pending");
      await place.pushToMain({ "notes.txt": "Ours.\n" });
      await place.configure({ state: "running" });
      await place.until(pr, "failed");
      return pr;
    },
    ...{ reason: "MERGE_CONFLICT_WITH_BASE", cause: "conflict", next: "update_branch" },
  },
  {
    name: "it conflicts with the pull request ahead",
    place: { queue: { ...endless, concurrency: 2 } },
    play: async (place) => {
      const ahead = await place.openPullRequest("ahead", { "notes.txt": "First.\n" });
      const pr = await place.openPullRequest("one", { "notes.txt": "Mine.\n" });
      for (const submitted of [ahead, pr]) await place.submit(submitted);
      await place.untilWaits(pr, "HELD_BY_CONFLICT");
      return pr;
    },
    ...{ reason: "CONFLICT_WITH_AHEAD", cause: null, next: "wait", blockedBy: [1] },
  },
  {
    name: "one of its commits conflicts in a rebase",
    place: { queue: { mergeMethod: "rebase" } },
    play: async (place) => {
      const pr = await place.openPullRequest("one", { "notes.txt": "Mine.\n" });
      await place.push("one", { "notes.txt": "Ours.\n" });
      await place.pushToMain({ "notes.txt": "Ours.\n" });
      await place.push("one", { "facts/one.json": "{}\n" });
      await place.submit(pr);
      await place.until(pr, "failed");
      return pr;
    },
    ...{ reason: "REBASE_NOT_POSSIBLE", cause: "conflict", next: "update_branch", again: "ends the same" },
  },
  {
    name: "its changes are on main already",
    place: { queue: { mergeMethod: "rebase" } },
    play: async (place) => {
      const pr = await place.openPullRequest("one", { "notes.txt": "Ours.\n" });
      await place.pushToMain({ "notes.txt": "Ours.\n" });
      await place.submit(pr);
      await place.until(pr, "failed");
      return pr;
    },
    ...{ reason: "EMPTY_PULL_REQUEST", cause: "not_ready", next: "push_fix" },
  },
];
