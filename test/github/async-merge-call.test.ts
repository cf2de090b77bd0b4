import { expect, test } from "@jest/globals";
import { CodeHostError, statusOf } from "../../src/github/client/code-host-error.ts";
import { AsyncMergeCall } from "../../src/github/merging/async-merge-call.ts";
import type { MergeGate, MergePlan } from "../../src/ports/code-host/merging.ts";
import { openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { inSandbox, type Scene, target } from "../sandbox/scene.ts";

const route = "/repos/{owner}/{repo}/pulls/{pull_number}/merge-async";

/** A gate that allows everything and records its calls. */
class OpenGate implements MergeGate {
  readonly told: string[] = [];
  async call(): Promise<boolean> {
    return true;
  }
  async requested(pr: number): Promise<void> {
    this.told.push(`requested #${pr}`);
  }
  async notDone(steps: number): Promise<void> {
    this.told.push(`not done behind ${steps}`);
  }
}

/** The asynchronous merge of one pull request, as part of a plan. */
async function prepared(scene: Scene, plan: Partial<MergePlan> = {}) {
  const { number: pr, sha: headSha } = await openPull(scene.asAlice, "one", { a: "1" });
  const base = await tipOf(scene.asAlice, "main");
  const gate = new OpenGate();
  const steps = [{ pr, headSha }];
  const whole = { branch: "main", method: "squash", base, steps, ...plan } as unknown as MergePlan;
  return {
    pr,
    headSha,
    gate,
    call: new AsyncMergeCall({ octokit: scene.asInstallation, at: target, plan: whole, gate, index: 0 }),
  };
}

test("an asynchronous merge in a repository without that API fails with ASYNC_MERGE_UNAVAILABLE", () =>
  inSandbox(async (scene) => {
    scene.asInstallation.hook.before("request", (options) => {
      options.url = options.url.replace("merge-async", "merge-nowhere");
    });
    const { call, gate } = await prepared(scene);
    const failure = await call.make().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CodeHostError);
    expect(failure).toMatchObject({ kind: "denied", refusal: "ASYNC_MERGE_UNAVAILABLE" });
    expect(gate.told).toEqual(["not done behind 0"]);
  }));

test("an asynchronous merge waits for the merge request of another user", () =>
  inSandbox(
    async (scene) => {
      const { pr, call, gate } = await prepared(scene);
      await scene.asAlice.request(`PUT ${route}`, { ...target, pull_number: pr, merge_method: "rebase" });
      expect(await call.make()).toMatchObject({ stop: "busy" });
      expect(gate.told).toEqual(["not done behind 0"]);
    },
    { delays: { asyncMerge: 2_000 } },
  ));

test("an asynchronous merge call of an earlier process that never reached GitHub is found to have done nothing", () =>
  inSandbox(async (scene) => {
    const { pr, headSha, call, gate } = await prepared(scene, { called: 1 });
    expect(await call.followUp()).toBeNull();
    expect(gate.told).toEqual([]);
    const { data } = await scene.asAlice.rest.pulls.get({ ...target, pull_number: pr });
    expect([data.state, data.head.sha]).toEqual(["open", headSha]);
  }));

test("the result of an asynchronous merge request that GitHub has forgotten is read from the pull request", () =>
  inSandbox(async (scene) => {
    const id = "630b9d5e-3f2a-4f7e-8b0c-2d5f9a8c1e42";
    const { pr, call } = await prepared(scene, { called: 1, request: { pr: 1, id } });
    await scene.asInstallation.rest.pulls.merge({ ...target, pull_number: pr });
    expect(await call.followUp()).toMatchObject({ stop: "busy", message: `#${pr} has merged already` });
    expect(await call.followUp()).toBeNull();
    const gone = scene.asAlice.request(`GET ${route}/{uuid}`, { ...target, pull_number: pr, uuid: id });
    expect(statusOf(await gone.catch((error: unknown) => error))).toBe(404);
  }));
