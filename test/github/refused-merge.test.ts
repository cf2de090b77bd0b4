import { expect, test } from "@jest/globals";
import { RequestError } from "@octokit/request-error";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import { merge } from "../../src/github/merging/merge.ts";
import { branchRefusalOf } from "../../src/github/test-commits/branch-refusal.ts";
import { HeadStacker } from "../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../src/github/test-commits/update-refs.ts";
import type { MergeGate, MergePlan } from "../../src/ports/code-host/merging.ts";
import type { RepositoryOptions } from "../../tools/sandbox/create-repository.ts";
import { commitOn, openPull, passStatus, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox, type Scene, target } from "../sandbox/scene.ts";

const openGate: MergeGate = { call: async () => true, requested: async () => {}, notDone: async () => {} };

const refused = (status: number, message: string) =>
  new RequestError(message, status, {
    request: { method: "PUT", url: "", headers: {} },
    response: { status, url: "", headers: {}, data: { message } },
  });

const inScene = (options: Partial<RepositoryOptions>, act: (scene: Scene) => Promise<void>) =>
  inSandbox(act, {}, { ci: null, ...options });

/** Moves main by a push. Every head opened before lacks its tip. */
async function push({ asAdmin }: Scene): Promise<string> {
  const sha = await commitOn(asAdmin, await tipOf(asAdmin, "main"), { "notes.txt": "1\n" });
  await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha });
  return sha;
}

/** Squashes heads whose trees are computed on the present base first. */
async function mergeComposed(
  { asInstallation: app }: Scene,
  heads: readonly { pr: number; headSha: string }[],
) {
  const refs = new RefUpdater(new NodeIds());
  const base = await tipOf(app, "main");
  const steps = heads.map((head) => ({ ...head, runId: "1", parentSha: base, treeSha: "", commitSha: "" }));
  const plan = { id: "1", branch: "main", method: "squash", base, composed: true, titles: new Map(), steps };
  const stacker = new HeadStacker("trainyard-temp/", refs);
  return merge(apiOf(app), stacker, { ...plan, startedAt: 0 } as MergePlan, openGate);
}

async function open({ asAlice }: Scene, branch: string, files: Record<string, string>) {
  const { number: pr, sha: headSha } = await openPull(asAlice, branch, files);
  return { pr, headSha };
}

test.each([
  ["Pull Request is not mergeable", 1],
  ['Required status check "build" is expected.', 2],
])(
  "the answer 405 %s that passes does not count, even if the head is behind a strict base",
  (message, count) =>
    inScene(
      {
        protection: {
          requiredChecks: [{ context: "build" }],
          strict: true,
          enforceAdmins: false,
          bypass: ["trainyard"],
        },
      },
      async (scene) => {
        const head = await open(scene, "one", { a: "1" });
        await passStatus(scene.asAlice, head.headSha, "build");
        await push(scene);
        // GitHub computes the state after it was read for the first time.
        const read = () => scene.asAlice.rest.pulls.get({ ...target, pull_number: head.pr });
        await read();
        await scene.sandbox.settled();
        expect((await read()).data.mergeable_state).toBe("behind");
        let calls = 0;
        scene.asInstallation.hook.wrap("request", async (ask, options) => {
          const isMerge = options.method === "PUT" && options.url.endsWith("/merge");
          if (!isMerge || ++calls > count) return ask(options);
          throw refused(405, message);
        });
        expect(await mergeComposed(scene, [head])).toMatchObject({ merged: [{ pr: head.pr }], stop: null });
        expect(calls).toBe(count + 1);
      },
    ),
);

test("the refusal of a head whose tree is computed before the merge names its pull request", () =>
  inScene(
    {
      rulesets: [
        {
          include: ["refs/heads/trainyard-temp/**/*"],
          rules: [{ type: "file_path_restriction", restricted_file_paths: ["secret/*"] }],
        },
      ],
    },
    async (scene) => {
      const one = await open(scene, "one", { a: "1" });
      const two = await open(scene, "two", { "secret/key": "1" });
      await push(scene);
      expect(await mergeComposed(scene, [one, two])).toMatchObject({
        merged: [],
        stop: { kind: "refused", pr: two.pr, cause: "FILE_RULE" },
      });
    },
  ));

test("a locked branch stops a merge, whatever the status of the refused ref update is", () =>
  inScene({ protection: { locked: true } }, async (scene) => {
    const { asInstallation: app } = scene;
    const { pr, headSha } = await open(scene, "one", { a: "1" });
    app.hook.wrap("request", async (ask, options) => {
      if (options.method === "PATCH") throw refused(409, "Cannot change this locked branch");
      return ask(options);
    });
    const base = await tipOf(app, "main");
    const treeSha = (await app.rest.git.getCommit({ ...target, commit_sha: headSha })).data.tree.sha;
    const step = { pr, headSha, runId: "1", parentSha: base, treeSha, commitSha: headSha };
    const steps = [step];
    const composed = false;
    const plan = {
      id: "1",
      branch: "main",
      method: "merge_commit",
      base,
      composed,
      titles: new Map(),
      steps,
      startedAt: 0,
    };
    const stacker = new HeadStacker("trainyard-temp/", new RefUpdater(new NodeIds()));
    expect(await merge(apiOf(app), stacker, plan as MergePlan, openGate)).toMatchObject({
      merged: [],
      stop: { kind: "refused", cause: "BRANCH_LOCKED" },
    });
  }));

test.each([
  ["File path secret/force-push.md is restricted.", "FILE_RULE"],
  ["File path secret/approving review.md is restricted.", "FILE_RULE"],
  ["File path secret/commit message.md is restricted.", "FILE_RULE"],
  ["File path secret/not authorized.md is restricted.", "FILE_RULE"],
  ["File code scanning.bin exceeds the maximum size of 1 MB.", "FILE_RULE"],
  [
    "refusing to allow a GitHub App to create or update workflow `.github/workflows/code scanning.yml` without `workflows` permission",
    "WORKFLOWS_PERMISSION_MISSING",
  ],
  ["Cannot force-push to this branch", "OWN_BRANCH_RULE"],
  ["At least 1 approving review is required by reviewers with write access.", "OWN_BRANCH_RULE"],
  ["You're not authorized to push to this branch.", undefined],
])("an author's file name does not change which rule refused a branch: %s", (message, cause) => {
  expect(branchRefusalOf(refused(422, message))?.cause).toBe(cause);
});
