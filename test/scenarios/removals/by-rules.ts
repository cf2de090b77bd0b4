import type { RulesetOptions } from "../../../tools/sandbox/world/rules/ruleset.ts";
import type { GitHubProxy } from "../github-proxy.ts";
import type { Place } from "./place.ts";
import type { Removal } from "./removal.ts";

const endless = { requiredStatuses: ["never"] } as const;

async function failed(place: Place, pr: number): Promise<number> {
  await place.until(pr, "failed");
  return pr;
}

/** A pull request whose merge the rules forbid as they would forbid every other one. */
async function forbidden(place: Place, rule: "update" | "required_signatures" | "required_linear_history") {
  place.stage.sandbox.setRulesets(place.fullName, [{ rules: [rule] }]);
  const pr = await place.submitted("one");
  await place.untilQueue("MERGING_NOT_ALLOWED");
  return pr;
}

const badMessage: RulesetOptions = {
  rules: [{ type: "commit_message_pattern", operator: "contains", pattern: "bad", negate: true }],
};

/** What the rules of the branch and the state of the repository do. */
export const byRules: readonly Removal[] = [
  {
    name: "its message breaks a rule",
    play: async (place) => {
      place.stage.sandbox.setRulesets(place.fullName, [badMessage]);
      return failed(place, await place.submitted("one", undefined, { title: "A bad one" }));
    },
    ...{ reason: "MERGE_REFUSED", cause: "refused", next: "ask_person" },
  },
  {
    name: "it changes a file that a rule forbids",
    play: async (place) => {
      place.stage.sandbox.setRulesets(place.fullName, [
        { rules: [{ type: "file_path_restriction", restricted_file_paths: ["secret/*"] }] },
      ]);
      return failed(place, await place.submitted("one", { "secret/key": "1\n" }));
    },
    ...{ reason: "MERGE_REFUSED", cause: "refused", next: "ask_person", again: "ends the same" },
  },
  {
    name: "a hook of the server refuses the first one",
    play: async (place) => {
      place.stage.sandbox.setPreReceiveHook(place.fullName, "only-by-git.sh: Merge by git");
      return failed(place, await place.submitted("one"));
    },
    ...{ reason: "MERGE_REFUSED", cause: "refused", next: "ask_person" },
  },
  {
    name: "a hook of the server refuses the second one, too",
    play: async (place) => {
      place.stage.sandbox.setPreReceiveHook(place.fullName, "only-by-git.sh: Merge by git");
      await failed(place, await place.submitted("one"));
      const pr = await place.submitted("two");
      await place.untilQueue("MERGING_NOT_ALLOWED");
      return pr;
    },
    ...{ reason: "TESTS_PASSED", cause: null, next: "ask_person" },
  },
  {
    name: "the branch is locked",
    play: (place) => forbidden(place, "update"),
    ...{ reason: "TESTS_PASSED", cause: null, next: "ask_person" },
  },
  {
    name: "signatures are required, and the queue rebases",
    place: { queue: { mergeMethod: "rebase" } },
    play: (place) => forbidden(place, "required_signatures"),
    ...{ reason: "TESTS_PASSED", cause: null, next: "ask_person" },
  },
  {
    name: "history has to be linear, and the queue makes merge commits",
    place: { queue: { mergeMethod: "merge_commit" } },
    play: (place) => forbidden(place, "required_linear_history"),
    ...{ reason: "TESTS_PASSED", cause: null, next: "ask_person" },
  },
  {
    name: "a rule forbids the branches of the queue",
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      place.stage.sandbox.setRulesets(place.fullName, [{ include: ["~ALL"], rules: ["creation"] }]);
      await place.submit(pr);
      await place.untilQueue("BUILDING_NOT_ALLOWED");
      return pr;
    },
    ...{ reason: "READY", cause: null, next: "ask_person" },
  },
  {
    name: "the repository file cannot be read",
    place: {
      queue: { requiredStatuses: [] },
      repository: { files: { ".github/trainyard.yml": "requiredStatuses: build\n" } },
    },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ reason: "CONFIGURATION_INVALID", cause: "refused", next: "ask_person", again: "ends the same" },
  },
  {
    name: "the queue is frozen by the repository file",
    play: async (place) => {
      const [from, until] = [-3_600_000, 864_000_000].map((ms) =>
        new Date(Date.now() + ms).toISOString().slice(0, 19),
      );
      const freeze = `freezes:\n  - reason: Release.\n    from: "${from}Z"\n    until: "${until}Z"\n    timeZone: Europe/Berlin\n`;
      await place.pushToMain({ ".github/trainyard.yml": freeze });
      const pr = await place.submitted("one");
      await place.untilWaits(pr, "FROZEN");
      await place.until(pr, "tests_passed");
      return pr;
    },
    ...{ reason: "TESTS_PASSED", cause: null, next: "wait" },
  },
  {
    name: "bots may not submit it again",
    place: { repository: { files: { ".github/trainyard.yml": "requeuesByBots: 0\n" } }, queue: endless },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.cancel(pr);
      return pr;
    },
    ...{ reason: "CANCELLED_BY_API", cause: "cancelled", next: "ask_person", again: "is refused" },
  },
  {
    name: "the target branch is deleted",
    play: async (place) => {
      await place.createBranch("release");
      await place.createQueue({ ...endless, targetBranch: "release" });
      const pr = await place.openPullRequest("one", undefined, { base: "release" });
      await place.submit(pr, { targetBranch: "release" });
      await place.until(pr, "testing", released(place));
      await place.octokit("admin").rest.git.deleteRef({ ...place.at, ref: "heads/release" });
      await place.untilQueue("BRANCH_MISSING", released(place));
      await place.until(pr, "cancelled", released(place));
      return pr;
    },
    queue: released,
    ...{ reason: "PR_CLOSED", cause: "cancelled", next: "ask_person" },
  },
  {
    name: "the repository is archived",
    place: { queue: endless },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.stage.sandbox.archive(place.fullName);
      await place.untilQueue("REPOSITORY_ARCHIVED");
      return pr;
    },
    ...{ reason: "TESTS_STARTED", cause: null, next: "ask_person" },
  },
  {
    name: "the repository is deleted",
    place: { queue: endless },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.stage.sandbox.deleteRepository(place.fullName);
      await place.untilQueue("REPOSITORY_UNREACHABLE");
      return pr;
    },
    ...{ reason: "TESTS_STARTED", cause: null, next: "ask_person" },
  },
  {
    name: "the repository is renamed",
    place: { queue: endless },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.stage.sandbox.renameRepository(place.fullName, `${place.at.repo}-renamed`);
      await place.untilTold(pr, ({ state }) => state === "testing", renamed(place));
      return pr;
    },
    queue: renamed,
    ...{ reason: "TESTS_STARTED", cause: null, next: "wait" },
  },
  {
    name: "the App is suspended",
    place: { owner: "initech", queue: endless },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.stage.sandbox.suspend("initech");
      await place.untilQueue("APP_SUSPENDED");
      return pr;
    },
    ...{ reason: "TESTS_STARTED", cause: null, next: "ask_person" },
  },
  {
    name: "the App is uninstalled",
    place: { owner: "hooli", queue: endless },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.stage.sandbox.uninstall("hooli");
      await place.untilQueue("APP_UNINSTALLED");
      return pr;
    },
    ...{ reason: "TESTS_STARTED", cause: null, next: "ask_person" },
  },
];

function released({ queue }: Place): Place["queue"] {
  return { ...queue, targetBranch: "release" };
}

function renamed({ queue, at }: Place): Place["queue"] {
  return { ...queue, repo: { ...queue.repo, name: `${at.repo}-renamed` } };
}

/** What happens during the merge call of a queue. The proxy holds up the next call of any queue, so these are played one by one. */
export const duringMerge = (proxy: () => GitHubProxy): readonly Removal[] => [
  {
    name: "a push while it is merged",
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      beforeMerge(proxy(), () => place.push("one", { "more.txt": "1\n" }));
      await place.submit(pr);
      await place.until(pr, "cancelled");
      return pr;
    },
    ...{ reason: "PUSHED_TO", cause: "superseded", next: "submit_new_head", again: "is refused" },
  },
  {
    name: "somebody pushes to main while it is merged",
    play: async (place) => {
      const pr = await place.openPullRequest("one");
      beforeMerge(proxy(), () => place.pushToMain({ "notes.txt": "Untested.\n" }));
      await place.submit(pr);
      await place.until(pr, "merged");
      return pr;
    },
    ...{ reason: "TREE_MISMATCH", cause: null, next: "none" },
  },
];

/** Lets something happen between our merge call and the merge. */
const beforeMerge = (proxy: GitHubProxy, meanwhile: () => Promise<void>): void =>
  proxy.beforeNext("PUT", /\/pulls\/\d+\/merge$/, meanwhile);
