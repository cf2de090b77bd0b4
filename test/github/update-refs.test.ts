import { expect, test } from "@jest/globals";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import { fastForward } from "../../src/github/merging/fast-forward.ts";
import { removeBranch } from "../../src/github/test-commits/branches.ts";
import { BranchRemovals, RefUpdater } from "../../src/github/test-commits/update-refs.ts";
import type { MergeGate, MergePlan } from "../../src/ports/code-host/merging.ts";
import { commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox, type Scene, target } from "../sandbox/scene.ts";

/** A gate that never calls a merge off. */
const open: MergeGate = { call: async () => true, requested: async () => {}, notDone: async () => {} };

/** The merge plan of a pull request that was tested as a merge commit on top of main. */
async function tested({ asInstallation: app, asAlice }: Scene): Promise<MergePlan> {
  const { number: pr, sha: headSha } = await openPull(asAlice, `feature`, { a: "1" });
  const base = await tipOf(app, "main");
  await app.rest.git.createRef({ ...target, ref: "refs/heads/test", sha: base });
  const { data } = await app.rest.repos.merge({ ...target, base: "test", head: headSha });
  const step = { pr, headSha, treeSha: data.commit.tree.sha, commitSha: data.sha, parentSha: base };
  return {
    id: "attempt",
    branch: "main",
    method: "merge_commit",
    base,
    composed: false,
    titles: new Map(),
    steps: [step],
  } as unknown as MergePlan;
}

const operations = ({ sandbox }: Scene) => sandbox.requests.entries.map(({ operationId }) => operationId);

/** Makes GitHub answer like an Enterprise Server from before the mutation was added. */
function withoutUpdateRefs({ asInstallation }: Scene): void {
  asInstallation.hook.wrap("request", async (request, options) => {
    const answer = await request(options);
    if (!options.url.endsWith("/graphql") || !String(options.query).includes("updateRefs")) return answer;
    answer.data = { errors: [{ message: "Field 'updateRefs' doesn't exist on type 'Mutation'" }] };
    return answer;
  });
}

test("a fast-forward moves the base to the tested commit with one call of updateRefs", () =>
  inSandbox(async (scene) => {
    const plan = await tested(scene);
    scene.sandbox.requests.clear();
    const outcome = await fastForward(apiOf(scene.asInstallation), new RefUpdater(new NodeIds()), plan, open);
    expect(outcome).toMatchObject({ merged: [{ pr: 1, proof: "exact" }], stop: null });
    expect(operations(scene)).toEqual(["graphql/repository", "graphql/repository", "graphql/updateRefs"]);
    expect(await tipOf(scene.asAdmin, "main")).toBe(plan.steps[0]?.commitSha);
  }));

test("a fast-forward does not restore commits that someone removed from the base", () =>
  inSandbox(async (scene) => {
    const { asAdmin } = scene;
    const start = await tipOf(asAdmin, "main");
    const secret = await commitOn(asAdmin, start, { secret: "1" });
    await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha: secret });
    const plan = await tested(scene);
    await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha: start, force: true });
    const outcome = await fastForward(apiOf(scene.asInstallation), new RefUpdater(new NodeIds()), plan, open);
    expect(outcome).toEqual({ merged: [], stop: { kind: "base_moved", actual: start } });
    expect(await tipOf(asAdmin, "main")).toBe(start);
  }));

test("a fast-forward whose answer was lost is found to be done", () =>
  inSandbox(async (scene) => {
    const plan = await tested(scene);
    const refs = new RefUpdater(new NodeIds());
    await fastForward(apiOf(scene.asInstallation), refs, plan, open);
    const again = await fastForward(apiOf(scene.asInstallation), refs, { ...plan, called: 1 }, open);
    expect(again).toMatchObject({ merged: [{ pr: 1, proof: "exact" }], stop: null });
  }));

test("branches that are removed at the same time are removed in one call, even if one no longer exists", () =>
  inSandbox(async (scene) => {
    const { asInstallation: app } = scene;
    const sha = await tipOf(app, "main");
    for (const branch of ["a", "b", "c", "d"])
      await app.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha });
    const removals = new BranchRemovals(new RefUpdater(new NodeIds()));
    scene.sandbox.requests.clear();
    await Promise.all(["a", "b", "b"].map((branch) => removals.remove(apiOf(app), branch)));
    expect(operations(scene)).toEqual(["graphql/repository", "graphql/updateRefs"]);
    await removeBranch(apiOf(app), "c");
    await Promise.all(["c", "d"].map((branch) => removals.remove(apiOf(app), branch)));
    const { data } = await app.rest.git.listMatchingRefs({ ...target, ref: "heads/" });
    expect(data.map(({ ref }) => ref)).toEqual(["refs/heads/main"]);
  }));

test("an Enterprise Server without the mutation updateRefs is asked for it once, and merges by REST", () =>
  inSandbox(async (scene) => {
    const plan = await tested(scene);
    withoutUpdateRefs(scene);
    const refs = new RefUpdater(new NodeIds());
    await refs.update(apiOf(scene.asInstallation), []);
    scene.sandbox.requests.clear();
    const outcome = await fastForward(apiOf(scene.asInstallation), refs, plan, open);
    expect(outcome).toMatchObject({ merged: [{ pr: 1, proof: "exact" }], stop: null });
    expect(operations(scene)).not.toContain("graphql/updateRefs");
    expect(await tipOf(scene.asAdmin, "main")).toBe(plan.steps[0]?.commitSha);
  }));
