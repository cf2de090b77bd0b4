import { expect, test } from "@jest/globals";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, type Scene, target } from "./scene.ts";

const activityOf = async (octokit: Scene["asAlice"], ref: string, per_page = 30) =>
  (await octokit.request("GET /repos/{owner}/{repo}/activity", { ...target, ref, per_page })).data;

test("the activity of a branch lists who moved it from where to where, newest first", () =>
  inSandbox(
    async ({ asAlice, asInstallation }) => {
      const { sha: first } = await openPull(asAlice, "feature", { a: "1" });
      const second = await commitOn(asAlice, first, { a: "2" });
      const third = await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "3" });
      const at = { ...target, ref: "heads/feature" };
      await asAlice.rest.git.updateRef({ ...at, sha: second });
      await asAlice.rest.git.updateRef({ ...at, sha: third, force: true });
      await asAlice.rest.git.deleteRef(at);
      const listed = await activityOf(asInstallation, "refs/heads/feature");
      expect(
        listed.map(({ activity_type, before, after, actor }) => [activity_type, before, after, actor?.login]),
      ).toEqual([
        ["branch_deletion", third, "0".repeat(40), "alice"],
        ["force_push", second, third, "alice"],
        ["push", first, second, "alice"],
        ["branch_creation", "0".repeat(40), first, "alice"],
      ]);
      expect(await activityOf(asAlice, "feature", 1)).toEqual(listed.slice(0, 1));
      expect(await activityOf(asAlice, "main")).toEqual([]);
    },
    {},
    { ci: null },
  ));

test("a merged pull request appears in the activity of its base", () =>
  inSandbox(
    async ({ sandbox, asAlice }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      await sandbox.settled();
      const { data } = await asAlice.rest.pulls.merge({ ...target, pull_number: number });
      expect(await activityOf(asAlice, "main")).toMatchObject([
        { activity_type: "pr_merge", after: data.sha },
      ]);
    },
    {},
    { ci: null },
  ));
