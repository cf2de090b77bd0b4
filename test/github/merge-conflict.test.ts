import { expect, test } from "@jest/globals";
import { commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { inSandbox, type Scene, target } from "../sandbox/scene.ts";
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
