import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import type { MergeGate, MergePlan, TestCommitResult } from "../../src/ports/code-host/merging.ts";
import { type openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { type Scene, target } from "../sandbox/scene.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const openGate: MergeGate = { call: async () => true, requested: async () => {}, notDone: async () => {} };

type Method = "merge_commit" | "squash" | "rebase";
export type Head = Awaited<ReturnType<typeof openPull>>;

/** The service's access to GitHub, with its cache of merged trees. */
export class Builder {
  readonly #scene: Scene;
  readonly #method: Method;
  readonly #codeHost: GitHubCodeHost;

  constructor(scene: Scene, method: Method) {
    const { app, url } = scene.sandbox;
    const client = { appId: app.id, privateKey: app.privateKey, apiUrl: `${url}/api/v3` };
    this.#codeHost = new GitHubCodeHost(new AppClient(client, log), "trainyard-temp/");
    this.#scene = scene;
    this.#method = method;
  }

  async #repo() {
    const name = { host: this.#scene.sandbox.host, owner: target.owner, name: target.repo };
    return { ...name, installationId: (await this.#codeHost.findInstallation(name)) ?? 0 };
  }

  /** @param branch the test branch. Each build has another one. */
  async stack(
    parentSha: string,
    heads: readonly Head[],
    branch = `test/${randomUUID()}`,
  ): Promise<TestCommitResult> {
    const steps = heads.map(({ number: pr, sha: headSha }) => ({
      pr,
      headSha,
      headRef: `pull-${pr}`,
      title: "",
      treeSha: null,
    }));
    const plan = { branch, method: this.#method, parentSha, steps, scratch: "main" };
    return this.#codeHost.buildTestCommit(await this.#repo(), { ...plan, mayExist: true });
  }

  /** Merges the first pull request of a stack on the base. */
  async mergeFirst(base: string, stacked: TestCommitResult): Promise<string> {
    const [commit] = stacked.kind === "built" ? stacked.commits : [];
    const step = { ...commit, runId: "1", parentSha: base };
    const plan = { id: "1", method: this.#method, base, steps: [step], branch: "main", titles: new Map() };
    const outcome = await this.#codeHost.merge(await this.#repo(), plan as unknown as MergePlan, openGate);
    expect(outcome).toMatchObject({ merged: [{ pr: step.pr }], stop: null });
    return tipOf(this.#scene.asAlice, "main");
  }
}
