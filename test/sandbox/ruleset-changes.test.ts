import { expect, test } from "@jest/globals";
import { manifestWith } from "../app-manifest.ts";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, refusal, type Scene, target } from "./scene.ts";

type Ruleset = NonNullable<Parameters<Scene["asAdmin"]["rest"]["repos"]["createRepoRuleset"]>[0]>;
const noCreation: Ruleset = {
  ...target,
  name: "no creation",
  enforcement: "active",
  conditions: { ref_name: { include: ["~ALL"], exclude: [] } },
  rules: [{ type: "creation" }],
};

test("administrators can create rulesets, which apply until they are deleted", () =>
  inSandbox(async ({ asAdmin, asAlice }) => {
    const sha = await tipOf(asAlice, "main");
    const create = (name: string) =>
      asAlice.rest.git.createRef({ ...target, ref: `refs/heads/${name}`, sha });
    const { data } = await asAdmin.rest.repos.createRepoRuleset(noCreation);
    expect(data).toMatchObject({
      name: "no creation",
      source: "acme/widgets",
      rules: [{ type: "creation" }],
    });
    expect((await refusal(create("one"))).message).toContain("creations being restricted");
    const ruleset = { ...target, ruleset_id: data.id };
    expect((await asAdmin.rest.repos.deleteRepoRuleset(ruleset)).status).toBe(204);
    expect((await create("one")).status).toBe(201);
    expect((await refusal(asAdmin.rest.repos.deleteRepoRuleset(ruleset))).status).toBe(404);
    expect((await refusal(asAlice.rest.repos.createRepoRuleset(noCreation))).status).toBe(404);
  }));

test("an App with administration: write can create a ruleset that exempts itself", () =>
  inSandbox(
    async ({ sandbox, asInstallation, asAlice }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      const bypass = { actor_id: sandbox.app.id, actor_type: "Integration", bypass_mode: "exempt" } as const;
      const restricted: Ruleset = {
        ...target,
        name: "no updates",
        enforcement: "active",
        conditions: { ref_name: { include: ["~DEFAULT_BRANCH"], exclude: [] } },
        rules: [{ type: "update" }],
        // Octokit's type does not have this mode yet.
        bypass_actors: [bypass as never],
      };
      await asInstallation.rest.repos.createRepoRuleset(restricted);
      const merge = (octokit: Scene["asAlice"]) =>
        octokit.rest.pulls.merge({ ...target, pull_number: number });
      expect((await refusal(merge(asAlice))).message).toContain("Cannot update this protected ref.");
      expect((await merge(asInstallation)).status).toBe(200);
    },
    { appManifest: manifestWith("administration", "write") },
  ));

test("an App without administration: write cannot create rulesets", () =>
  inSandbox(async ({ asInstallation }) => {
    expect(await refusal(asInstallation.rest.repos.createRepoRuleset(noCreation))).toEqual({
      status: 403,
      message: "Resource not accessible by integration",
    });
  }));

test("a branch can be renamed by the API, but the default branch only by administrators", () =>
  inSandbox(async ({ asAlice, asAdmin, asInstallation }) => {
    const sha = await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "1" });
    await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/before", sha });
    const rename = (octokit: Scene["asAlice"], branch: string, new_name: string) =>
      octokit.rest.repos.renameBranch({ ...target, branch, new_name });
    const { status, data } = await rename(asInstallation, "before", "after");
    expect([status, data.name, data.commit.sha]).toEqual([201, "after", sha]);
    expect((await asAlice.rest.repos.getBranch({ ...target, branch: "before" })).data.name).toBe("after");
    expect((await refusal(rename(asAlice, "absent", "x"))).status).toBe(404);
    expect((await refusal(rename(asAlice, "after", "main"))).status).toBe(422);
    expect((await refusal(rename(asAlice, "main", "trunk"))).status).toBe(403);
    expect((await refusal(rename(asInstallation, "main", "trunk"))).status).toBe(403);
    expect((await rename(asAdmin, "main", "trunk")).status).toBe(201);
  }));
