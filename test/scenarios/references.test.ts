import { afterEach, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

const at = { owner: "acme", repo: "widgets" };

test.each(["squash", "rebase"] as const)(
  "the tests of pull requests that merge with %s leave no references on timelines",
  async (mergeMethod) => {
    stage = await Stage.open({ queue: { mergeMethod, concurrency: 2 } });
    const one = await stage.openPullRequest("one");
    const title = `After #${one}, GH-${one} and acme/widgets#${one}, fixes #${one}`;
    const two = await stage.openPullRequest("two", undefined, { title });
    for (const pr of [one, two]) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    for (const pr of [one, two]) await stage.until(pr, "merged");
    const referencing = async (issue_number: number) => {
      const { data } = await stage.octokit("alice").rest.issues.listEvents({ ...at, issue_number });
      return data.filter(({ event }) => event === "referenced").map(({ commit_id }) => commit_id);
    };
    const { head } = await stage.pull(two);
    const merged = (await stage.branch("main")).commit.sha;
    // Only the author's text refers to it: the commit on the branch and the merged commit.
    expect(await referencing(one)).toEqual([head.sha, merged]);
    expect(await referencing(two)).toEqual([]);
  },
);
