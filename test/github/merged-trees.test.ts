import { expect, test } from "@jest/globals";
import type { TestCommitResult } from "../../src/ports/code-host/merging.ts";
import { draw } from "../../tools/sandbox/seeded-draw.ts";
import { openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { inSandbox, type Scene, target } from "../sandbox/scene.ts";
import { Builder, type Head } from "./builder.ts";

const treesOf = (stacked: TestCommitResult) =>
  stacked.kind === "built" ? stacked.commits.map(({ treeSha }) => treeSha) : stacked.kind;

const mergesIn = ({ sandbox }: Scene) =>
  sandbox.requests.entries.filter(({ operationId }) => operationId === "repos/merge").length;

const openHeads = async ({ asAlice }: Scene, ...names: string[]): Promise<Head[]> => {
  const heads: Head[] = [];
  for (const name of names) heads.push(await openPull(asAlice, name, { [name]: "1" }));
  return heads;
};

test.each(["merge_commit", "squash"] as const)(
  "with the method %s, parts of a built batch need no new merges",
  (method) =>
    inSandbox(async (scene) => {
      const builder = new Builder(scene, method);
      const heads = await openHeads(scene, "one", "two", "three");
      const base = await tipOf(scene.asAlice, "main");
      const whole = await builder.stack(base, heads);
      expect(mergesIn(scene)).toBe(3);
      expect(treesOf(await builder.stack(base, heads.slice(0, 2)))).toEqual(treesOf(whole).slice(0, 2));
      expect(treesOf(await builder.stack(base, heads.slice(0, 1)))).toEqual(treesOf(whole).slice(0, 1));
      expect(mergesIn(scene)).toBe(3);
      const merged = await builder.mergeFirst(base, whole);
      expect(treesOf(await builder.stack(merged, heads.slice(1)))).toEqual(treesOf(whole).slice(1));
      expect(mergesIn(scene)).toBe(3);
      await builder.stack(base, heads.slice(1));
      expect(mergesIn(scene)).toBe(5);
    }),
);

test.each([
  ["merge_commit", 1],
  ["squash", 2],
] as const)("with the method %s, cached merges give the same trees as new ones (seed %i)", (method, seed) =>
  inSandbox(
    async (scene) => {
      let draws = 0;
      const pick = (count: number) => Math.floor(draw(seed, "stacks", draws++) * count);
      const heads: Head[] = [];
      for (let index = 0; index < 5; index++) {
        const files = { [`shared-${pick(2)}`]: `${pick(3)}\n`, [`own-${index}`]: "" };
        // Some start from the commits of another pull request, so that the merge method of that one matters.
        const from = index > 0 && pick(2) === 0 ? `pull-${pick(index)}` : "main";
        heads.push(await openPull(scene.asAlice, `pull-${index}`, files, { base: from }));
      }
      const builder = new Builder(scene, method);
      let base = await tipOf(scene.asAlice, "main");
      const seen = new Set<string>();
      for (let round = 0; round < 14; round++) {
        const order = heads.toSorted(() => pick(2) - 0.5).slice(0, 1 + pick(3));
        const stacked = await builder.stack(base, order);
        expect(treesOf(stacked)).toEqual(treesOf(await new Builder(scene, method).stack(base, order)));
        seen.add(stacked.kind);
        const first = order[0] as Head;
        if (stacked.kind !== "built" || pick(4) > 0 || heads.length < 3) continue;
        await scene.asAlice.rest.pulls.update({ ...target, pull_number: first.number, base: "main" });
        base = await builder.mergeFirst(base, stacked);
        heads.splice(heads.indexOf(first), 1);
      }
      expect(seen).toContain("built");
      expect(seen.size).toBeGreaterThan(1);
    },
    {},
    { ci: null, files: { "shared-0": "x\n", "shared-1": "x\n" } },
  ),
);
