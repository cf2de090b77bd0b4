import { describe, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import { merge } from "../../src/github/merging/merge.ts";
import { HeadStacker } from "../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../src/github/test-commits/update-refs.ts";
import type { MergeGate, MergePlan } from "../../src/ports/code-host/merging.ts";
import type { RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox, refusal, type Scene, target } from "../sandbox/scene.ts";

/** A way in which a pull request is merged. */
interface Way {
  readonly plan: Partial<MergePlan> & Pick<MergePlan, "method">;
  readonly rules?: RulesetOptions;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly query?: string;
  readonly variables?: { readonly input?: { readonly refUpdates?: readonly { readonly name: string }[] } };
  readonly ref?: string;
}

const openGate: MergeGate = { call: async () => true, requested: async () => {}, notDone: async () => {} };

const byGit: Record<string, Way> = { merge_commit: { plan: { method: "merge_commit" } } };

const byApi: Record<string, Way> = {
  "merge_commit where rules forbid pushes": {
    plan: { method: "merge_commit" },
    rules: { rules: [{ type: "pull_request" }] },
  },
  "merge_commit after another lane": { plan: { method: "merge_commit", composed: true } },
  squash: { plan: { method: "squash" } },
  "squash without a test": { plan: { method: "squash", direct: true } },
  "squash by the asynchronous API": { plan: { method: "squash", by: "async_api" } },
  rebase: { plan: { method: "rebase" } },
};

const isLook = ({ query = "" }: Request) => /pullRequest\(number/.test(query);
const isMerge = ({ method, url }: Request) => method === "PUT" && /\/merge(-async)?$/.test(url);
const isFastForward = ({ method, ref, variables }: Request) =>
  (method === "PATCH" && ref === "heads/main") ||
  (variables?.input?.refUpdates?.some(({ name }) => name === "refs/heads/main") ?? false);

/** Calls `act` once, before the first request of this kind, or after its answer. */
function once(
  octokit: Octokit,
  when: "before" | "after",
  isIt: (request: Request) => boolean,
  act: () => Promise<void>,
): void {
  let isDone = false;
  octokit.hook.wrap("request", async (ask, options) => {
    if (isDone || !isIt(options as unknown as Request)) return ask(options);
    isDone = true;
    if (when === "before") await act();
    const answer = await ask(options);
    if (when === "after") await act();
    return answer;
  });
}

/** Makes GitHub answer like an Enterprise Server from before the mutation was added. */
function withoutUpdateRefs(octokit: Octokit): void {
  octokit.hook.wrap("request", async (ask, options) => {
    if (!String(options.query).includes("updateRefs")) return ask(options);
    return {
      ...(await ask({ ...options, query: "query { viewer { login } }", variables: {} })),
      data: { errors: [{ message: "Field 'updateRefs' doesn't exist on type 'Mutation'" }] },
    };
  });
}

/** A merge that is about to be made, and the push to main that comes in between. */
async function prepare({ asInstallation: app, asAlice, asAdmin }: Scene, { plan }: Way, gate = openGate) {
  const { number: pr, sha: headSha } = await openPull(asAlice, "feature", { a: "1" });
  const base = await tipOf(app, "main");
  const refs = new RefUpdater(new NodeIds());
  const stacker = new HeadStacker("trainyard-temp/", refs);
  const stacked = await stacker.stack(apiOf(app), {
    build: "1",
    scratch: "main",
    method: plan.method,
    parentSha: base,
    steps: [{ pr, headSha, headRef: `pull/${pr}`, title: "", treeSha: null }],
  });
  if (stacked.kind !== "built") throw new Error(stacked.kind);
  const steps = stacked.commits.map((commit) => ({
    ...commit,
    runId: plan.direct ? null : "1",
    parentSha: base,
  }));
  const whole: MergePlan = {
    id: "1",
    base,
    branch: "main",
    titles: new Map(),
    composed: false,
    startedAt: 0,
    ...plan,
    steps,
  };
  const pushed = await commitOn(asAdmin, base, { "notes.txt": "Untested.\n" });
  return {
    base,
    pushed,
    tested: stacked.commits[0]?.treeSha,
    push: async () => {
      await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha: pushed });
    },
    merge: () => merge(apiOf(app), stacker, whole, gate),
    isMerged: async () => (await asAlice.rest.pulls.get({ ...target, pull_number: pr })).data.merged,
  };
}

const scene = (way: Way, act: (scene: Scene) => Promise<void>) =>
  inSandbox(
    act,
    {},
    way.rules ? { rulesets: [{ ...way.rules, bypass: [{ actor: "admin", mode: "exempt" }] }] } : {},
  );

describe("a push to main while a merge is made", () => {
  test.each(Object.entries({ ...byGit, ...byApi }))(
    "is noticed before the call if it comes before the last reading (%s)",
    (_name, way) =>
      scene(way, async (scene) => {
        const { pushed, push, merge, isMerged } = await prepare(scene, way);
        once(scene.asInstallation, "after", isLook, push);
        expect(await merge()).toEqual({ merged: [], stop: { kind: "base_moved", actual: pushed } });
        expect([await tipOf(scene.asAlice, "main"), await isMerged()]).toEqual([pushed, false]);
      }),
  );

  test.each(Object.entries({ ...byGit, ...byApi }))(
    "is noticed before the call if it comes while the gate looks at what is required (%s)",
    (_name, way) =>
      scene(way, async (scene) => {
        const { pushed, push, merge, isMerged } = await prepare(scene, way, {
          ...openGate,
          call: async () => {
            await push();
            return true;
          },
        });
        expect(await merge()).toEqual({ merged: [], stop: { kind: "base_moved", actual: pushed } });
        expect([await tipOf(scene.asAlice, "main"), await isMerged()]).toEqual([pushed, false]);
      }),
  );

  test.each([["updateRefs"], ["REST"]])("is never merged upon by %s, because git refuses it", (by) =>
    inSandbox(async (scene) => {
      const { pushed, push, merge, isMerged } = await prepare(scene, { plan: { method: "merge_commit" } });
      if (by === "REST") withoutUpdateRefs(scene.asInstallation);
      once(scene.asInstallation, "before", isFastForward, push);
      expect(await merge()).toEqual({ merged: [], stop: { kind: "base_moved", actual: pushed } });
      expect([await tipOf(scene.asAlice, "main"), await isMerged()]).toEqual([pushed, false]);
    }),
  );

  test.each(Object.entries(byApi))(
    "is found after the call, and named, if GitHub merges upon it (%s)",
    (_name, way) =>
      scene(way, async (scene) => {
        const { tested, pushed, push, merge } = await prepare(scene, way);
        once(scene.asInstallation, "before", isMerge, push);
        const { merged, stop } = await merge();
        const sha = await tipOf(scene.asAlice, "main");
        expect(merged).toEqual([]);
        expect(stop).toMatchObject({
          kind: "tree_mismatch",
          mismatch: { sha, expectedTree: tested, pushed },
        });
      }),
  );

  test.each(Object.entries(byApi).filter(([, { plan }]) => !plan.direct && !plan.composed))(
    "is refused if only the App may update main, and the tested tree is merged (%s)",
    (_name, way) => {
      const rules: RulesetOptions[] = [
        ...(way.rules ? [way.rules] : []),
        { rules: ["update"], bypass: [{ actor: "trainyard", mode: "exempt" }] },
      ];
      return inSandbox(
        async (scene) => {
          const { tested, push, merge } = await prepare(scene, way);
          const refused: unknown[] = [];
          once(scene.asInstallation, "before", isMerge, async () => {
            refused.push(await refusal(push()));
          });
          expect(await merge()).toMatchObject({ merged: [{ pr: 1, treeSha: tested }], stop: null });
          expect(refused).toMatchObject([{ status: 422 }]);
        },
        {},
        { rulesets: rules },
      );
    },
  );
});
