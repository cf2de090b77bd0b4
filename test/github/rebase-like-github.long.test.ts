import { expect, test } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import { draw } from "../../tools/sandbox/seeded-draw.ts";
import { commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { inSandbox, refusal, type Scene, target } from "../sandbox/scene.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const words = ["one", "two", "three"];

/** Draws histories in which commits conflict, repeat each other and revert each other. */
class Histories {
  readonly #scene: Scene;
  readonly #seed: number;
  #draws = 0;

  constructor(scene: Scene, seed: number) {
    this.#scene = scene;
    this.#seed = seed;
  }

  #draw(count: number): number {
    return Math.floor(draw(this.#seed, "history", this.#draws++) * count);
  }

  #files(): Record<string, string> {
    const path = ["a", "b"][this.#draw(2)] ?? "a";
    return { [path]: `${words[this.#draw(3)]}\n` };
  }

  async commit(branch: string): Promise<void> {
    const { asAlice } = this.#scene;
    const sha = await commitOn(asAlice, await tipOf(asAlice, branch), this.#files());
    await asAlice.rest.git.updateRef({ ...target, ref: `heads/${branch}`, sha });
  }

  /** Adds commits to a branch and to main, and sometimes merges main into the branch. */
  async grow(branch: string): Promise<void> {
    for (let steps = 2 + this.#draw(5); steps > 0; steps--) {
      if (this.#draw(5) < 2) await this.commit("main");
      else if (this.#draw(5) === 0) await this.#mergeMain(branch);
      else await this.commit(branch);
    }
  }

  async #mergeMain(head: string): Promise<void> {
    const { asAlice } = this.#scene;
    await asAlice.rest.repos.merge({ ...target, base: head, head: "main" }).catch(() => {});
  }
}

async function treesOf(scene: Scene, from: string, to: string): Promise<string[]> {
  const basehead = `${from}...${to}`;
  const { data } = await scene.asAlice.rest.repos.compareCommitsWithBasehead({ ...target, basehead });
  return data.commits.map(({ commit }) => commit.tree.sha);
}

/** The trees of the commits that we build to test a pull request, or the reason why nothing was built. */
async function built(scene: Scene, codeHost: GitHubCodeHost, pr: number, headSha: string, parentSha: string) {
  const name = { host: scene.sandbox.host, owner: target.owner, name: target.repo };
  const repo = { ...name, installationId: (await codeHost.findInstallation(name)) ?? 0 };
  const step = { pr, headSha, headRef: `pull-${pr}`, title: "", treeSha: null };
  const result = await codeHost.buildTestCommit(repo, {
    branch: `test/${pr}`,
    method: "rebase",
    parentSha,
    steps: [step],
    scratch: "main",
    mayExist: false,
  });
  if (result.kind !== "built") return "why" in result ? `${result.kind}: ${result.why}` : result.kind;
  return treesOf(scene, parentSha, result.commits[0]?.commitSha ?? "");
}

test.each([3, 4, 8])(
  "a test commit built with rebase has the trees of GitHub's rebase, in histories of seed %i",
  (seed) =>
    inSandbox(
      async (scene) => {
        const { asAlice, asAdmin, sandbox } = scene;
        const { id: appId, privateKey } = sandbox.app;
        const app = new AppClient({ appId, privateKey, apiUrl: `${sandbox.url}/api/v3` }, log);
        const codeHost = new GitHubCodeHost(app, "trainyard-temp/");
        const histories = new Histories(scene, seed);
        const seen: string[] = [];
        for (let index = 0; index < 12; index++) {
          const branch = `pull-${index}`;
          const { number } = await openPull(asAlice, branch, { [`own-${index}`]: "" });
          await histories.grow(branch);
          const [base, head] = [await tipOf(asAlice, "main"), await tipOf(asAlice, branch)];
          const ours = await built(scene, codeHost, number, head, base);
          const merge = asAdmin.rest.pulls.merge({ ...target, pull_number: number, merge_method: "rebase" });
          if (Array.isArray(ours)) {
            await merge;
            expect(await treesOf(scene, base, "main")).toEqual(ours);
          } else {
            expect(await refusal(merge)).toMatchObject({
              status: 405,
              message: "This branch can't be rebased",
            });
          }
          seen.push(Array.isArray(ours) ? "built" : ours);
        }
        expect(new Set(seen).size).toBeGreaterThan(1);
      },
      {},
      { ci: null, files: { a: "zero\n", b: "zero\n" } },
    ),
);
