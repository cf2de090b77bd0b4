import { expect, test } from "@jest/globals";
import { branchWith, commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, type Scene, target } from "./scene.ts";

const referencing = async (octokit: Scene["asAlice"], issue_number: number) => {
  const { data } = await octokit.rest.issues.listEvents({ ...target, issue_number });
  return data.filter(({ event }) => event === "referenced").map(({ commit_id }) => commit_id);
};

test.each([
  "Follows #1",
  "See (#1).",
  "GH-1 again",
  "As acme/widgets#1",
  "https://github.com/acme/widgets/pull/1",
])("a pushed commit that says %j refers to the pull request only once", (message) =>
  inSandbox(async ({ asAlice }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const sha = await branchWith(asAlice, "other", { b: "1" }, { message });
    await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/another", sha });
    expect(await referencing(asAlice, number)).toEqual([sha]);
  }),
);

test.each(["Colour #1a", "Not#1", "other/widgets#1", "#\u200b1"])(
  "a pushed commit that says %j does not refer to the pull request",
  (message) =>
    inSandbox(async ({ asAlice }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      await branchWith(asAlice, "other", { b: "1" }, { message });
      expect(await referencing(asAlice, number)).toEqual([]);
    }),
);

test("a commit that merges a pull request, or that is on no branch, does not refer to the pull request", () =>
  inSandbox(async ({ asAlice }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    await commitOn(asAlice, await tipOf(asAlice, "main"), { b: "1" }, `After #${number}`);
    await asAlice.rest.pulls.merge({ ...target, pull_number: number, merge_method: "squash" });
    expect(await referencing(asAlice, number)).toEqual([]);
  }));
