import { expect, test } from "@jest/globals";
import { firstCommits } from "../../src/github/test-commits/comparisons.ts";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox, target } from "../sandbox/scene.ts";

test("the first commits of a head are those on which all its others build, also after it merged the branch", () =>
  inSandbox(async ({ asAdmin, asInstallation: app }) => {
    const old = await tipOf(asAdmin, "main");
    const first = await commitOn(asAdmin, old, { "a.txt": "a" });
    const second = await commitOn(asAdmin, first, { "b.txt": "b" });
    const main = await commitOn(asAdmin, old, { "main.txt": "m" });
    await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha: main });
    const { data: tree } = await asAdmin.rest.git.getCommit({ ...target, commit_sha: second });
    const { data: merged } = await asAdmin.rest.git.createCommit({
      ...{ ...target, message: "Merge main", tree: tree.tree.sha, parents: [second, main] },
    });
    const other = await commitOn(asAdmin, main, { "c.txt": "c" });
    const { data: both } = await asAdmin.rest.git.createCommit({
      ...{ ...target, message: "Merge another", tree: tree.tree.sha, parents: [merged.sha, other] },
    });
    const firstOf = (head: string) => firstCommits(apiOf(app), "main", head);
    expect(await firstOf(first)).toEqual([first]);
    expect(await firstOf(second)).toEqual([first]);
    expect(await firstOf(merged.sha)).toEqual([first]);
    expect((await firstOf(both.sha)).toSorted()).toEqual([first, other].toSorted());
    expect(await firstOf(main)).toEqual([]);
    await expect(firstOf("f".repeat(40))).rejects.toMatchObject({ status: 404 });
  }));
