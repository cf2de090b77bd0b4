import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "./place.ts";
import type { Removal } from "./removal.ts";

const paused = { queue: { state: "paused" } } as const;
/** The required check never reports, so tests do not end. */
const endless = { queue: { requiredStatuses: ["never"] } } as const;

/** A pull request that has left the queue as cancelled. */
async function cancelled(place: Place, pr: number): Promise<number> {
  await place.until(pr, "cancelled");
  return pr;
}

async function tested(place: Place): Promise<number> {
  const pr = await place.submitted("one");
  await place.until(pr, "testing");
  return pr;
}

/** What people do to a pull request that waits or is tested. */
export const byPeople: readonly Removal[] = [
  {
    name: "a push while it waits",
    place: paused,
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.push("one", { "more.txt": "1\n" });
      return cancelled(place, pr);
    },
    ...{ reason: "PUSHED_TO", cause: "superseded", next: "submit_new_head", again: "is refused" },
  },
  {
    name: "a force push while it is tested",
    place: endless,
    play: async (place) => {
      const pr = await tested(place);
      await place.createBranch("rewritten");
      await place.push("rewritten", { "facts/one.json": '{"sets":[]}\n' });
      const { git } = place.octokit().rest;
      await git.updateRef({
        ...place.at,
        ref: "heads/one",
        sha: await place.tipOf("rewritten"),
        force: true,
      });
      return cancelled(place, pr);
    },
    ...{ reason: "PUSHED_TO", cause: "superseded", next: "submit_new_head", again: "is refused" },
  },
  {
    name: "it is closed",
    place: endless,
    play: async (place) => {
      const pr = await tested(place);
      await place.update(pr, { state: "closed" });
      return cancelled(place, pr);
    },
    ...{ reason: "PR_CLOSED", cause: "cancelled", next: "ask_person", again: "is refused" },
  },
  {
    name: "its branch is deleted",
    place: paused,
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.octokit().rest.git.deleteRef({ ...place.at, ref: "heads/one" });
      return cancelled(place, pr);
    },
    ...{ reason: "PR_CLOSED", cause: "cancelled", next: "ask_person", again: "is refused" },
  },
  {
    name: "it is converted to a draft while it is tested",
    place: endless,
    play: async (place) => {
      const pr = await tested(place);
      await place.update(pr, { draft: true });
      return cancelled(place, pr);
    },
    ...{ reason: "CONVERTED_TO_DRAFT", cause: "not_ready", next: "make_ready" },
  },
  {
    name: "a comment cancels it",
    place: paused,
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.comment(pr, "/trainyard cancel", "bob");
      return cancelled(place, pr);
    },
    ...{ reason: "CANCELLED_BY_USER", cause: "cancelled", next: "ask_person" },
  },
  {
    name: "the API cancels it while it is tested",
    place: endless,
    play: async (place) => {
      const pr = await tested(place);
      await place.cancel(pr);
      return pr;
    },
    ...{ reason: "CANCELLED_BY_API", cause: "cancelled", next: "ask_person" },
  },
  {
    name: "the label that submitted it is removed",
    place: paused,
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      const { issues } = place.octokit().rest;
      const labelled = { ...place.at, issue_number: pr };
      await issues.addLabels({ ...labelled, labels: ["trainyard:merge"] });
      await place.until(pr, "pending");
      await issues.removeLabel({ ...labelled, name: "trainyard:merge" });
      return cancelled(place, pr);
    },
    ...{ reason: "LABEL_REMOVED", cause: "cancelled", next: "ask_person" },
  },
  {
    name: "auto-merge is disabled",
    // Users have to be up to date, so that GitHub's auto-merge waits. The App need not.
    place: {
      queue: { state: "paused", submitByAutoMerge: true },
      repository: { protection: { strict: true, requiredChecks: ["slow"], bypass: ["trainyard"] } },
    },
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      const { node_id: pullRequestId } = (
        await place.octokit().rest.pulls.get({ ...place.at, pull_number: pr })
      ).data;
      for (const verb of ["enable", "disable"]) {
        const [field, type] = [
          `${verb}PullRequestAutoMerge`,
          `${verb === "enable" ? "Enable" : "Disable"}PullRequestAutoMergeInput`,
        ];
        const mutation = `mutation ($input: ${type}!) { ${field}(input: $input) { clientMutationId } }`;
        await place.octokit("bob").graphql(mutation, { input: { pullRequestId } });
        if (verb === "disable") continue;
        await place.untilTold(pr, ({ state }) => state === "pending" || state === "not_ready");
        // GitHub's times are in whole seconds.
        await sleep(1_100);
      }
      return cancelled(place, pr);
    },
    ...{ reason: "AUTO_MERGE_DISABLED", cause: "cancelled", next: "ask_person" },
  },
  {
    name: "its base branch is changed",
    place: endless,
    play: async (place) => {
      const pr = await tested(place);
      await place.createBranch("other");
      await place.update(pr, { base: "other" });
      return cancelled(place, pr);
    },
    ...{ reason: "BASE_BRANCH_CHANGED", cause: "superseded", next: "ask_person" },
  },
  {
    name: "somebody merges it by hand",
    place: paused,
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.octokit("admin").rest.pulls.merge({ ...place.at, pull_number: pr });
      await place.until(pr, "merged");
      return pr;
    },
    ...{ reason: "MERGED_BY_OTHERS", cause: null, next: "none", again: "is refused" },
  },
  {
    name: "another pull request with its commit merges",
    place: { queue: { mergeMethod: "merge_commit" } },
    play: async (place) => {
      const first = await place.openPullRequest("one");
      await place.createBranch("twin", await place.tipOf("one"));
      const opened = { ...place.at, base: "main", head: "twin", title: "The same" };
      const { data } = await place.octokit().rest.pulls.create(opened);
      await place.configure({ state: "paused" });
      for (const pr of [first, data.number]) await place.submit(pr);
      await place.configure({ state: "running" });
      await place.until(data.number, "merged");
      return data.number;
    },
    ...{ reason: "MERGED_BY_OTHERS", cause: null, next: "none" },
  },
  {
    name: "a person pauses the queue",
    place: paused,
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "pending");
      return pr;
    },
    ...{ reason: "READY", cause: null, next: "wait" },
  },
  {
    name: "an urgent pull request takes its slot",
    place: { queue: { ...endless.queue, concurrency: 1 } },
    play: async (place) => {
      const pr = await tested(place);
      await place.submit(await place.openPullRequest("urgent"), { priority: "urgent" });
      await place.untilWaits(pr, "NO_FREE_SLOT");
      return pr;
    },
    ...{ reason: "INTERRUPTED_BY_URGENT", cause: null, next: "wait", blockedBy: [2] },
  },
];
