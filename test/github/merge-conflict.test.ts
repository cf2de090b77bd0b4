import { expect, test } from "@jest/globals";
import { RequestError } from "@octokit/request-error";
import { NodeIds } from "../../src/github/client/node-ids.ts";
import { HeadStacker } from "../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../src/github/test-commits/update-refs.ts";
import { commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox, type Scene, target } from "../sandbox/scene.ts";
import { Builder } from "./builder.ts";

const inScene = (act: (scene: Scene, build: () => Promise<unknown>) => Promise<void>) => () =>
  inSandbox(
    async (scene) => {
      const pull = await openPull(scene.asAlice, "one", { file: "1" });
      const builder = new Builder(scene, "squash");
      await act(scene, async () => builder.stack(await tipOf(scene.asAlice, "main"), [pull]));
    },
    {},
    { ci: null },
  );

const refuse = ({ sandbox }: Scene, variant: "bare" | "in_progress", count: number) =>
  sandbox.faults.next({ operation: "repos/merge", kind: "conflict", variant, count });

test(
  "GitHub's own merge conflict is one",
  inScene(async ({ asAlice }, build) => {
    const sha = await commitOn(asAlice, await tipOf(asAlice, "main"), { file: "2" });
    await asAlice.rest.git.updateRef({ ...target, ref: "heads/main", sha });
    expect(await build()).toMatchObject({ kind: "conflict" });
  }),
);

test(
  "another 409 that lasts is refused in GitHub's words, and is no conflict of the pull request",
  inScene(async (scene, build) => {
    refuse(scene, "bare", Number.POSITIVE_INFINITY);
    expect(await build()).toMatchObject({ kind: "refused", message: "Conflict", cause: "OTHER" });
  }),
);

test(
  "a 409 that only mentions merge conflicts, such as a hook's, is no conflict of the pull request",
  inScene(async ({ asInstallation: app }) => {
    const message = "Repository hook failed: merge conflict markers in a.txt";
    app.hook.wrap("request", (ask, options) => {
      if (!options.url.endsWith("/merges")) return ask(options);
      const response = { status: 409, url: "", headers: {}, data: { message }, retryCount: 0 };
      throw new RequestError(message, 409, { request: { method: "POST", url: "", headers: {} }, response });
    });
    const stacker = new HeadStacker("trainyard-temp/", new RefUpdater(new NodeIds()));
    const step = { pr: 1, headSha: await tipOf(app, "one"), headRef: "one", title: "", treeSha: null };
    const stack = {
      build: "1",
      scratch: "main",
      method: "squash",
      parentSha: await tipOf(app, "main"),
    } as const;
    expect(await stacker.stack(apiOf(app), { ...stack, steps: [step] })).toMatchObject({
      kind: "refused",
      message,
      cause: "OTHER",
    });
  }),
);

test(
  "another 409 that passes within seconds changes nothing",
  inScene(async (scene, build) => {
    refuse(scene, "bare", 2);
    expect(await build()).toMatchObject({ kind: "built" });
  }),
);

test(
  "a 409 that says that it will pass is tried again later, however long it lasts",
  inScene(async (scene, build) => {
    refuse(scene, "in_progress", Number.POSITIVE_INFINITY);
    await expect(build()).rejects.toMatchObject({ kind: "busy" });
  }),
);
