import { expect, test } from "@jest/globals";
import type { TestCommitResult } from "../../src/ports/code-host/merging.ts";
import { commitOn, openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { inSandbox, type Scene, target } from "../sandbox/scene.ts";
import { Builder, type Head } from "./builder.ts";

const treesOf = (built: TestCommitResult) =>
  built.kind === "built" ? built.commits.map(({ treeSha }) => treeSha) : built.kind;

/** Opens pull requests of three commits each, and lets the base move on. */
async function openHeads({ asAlice, sandbox }: Scene): Promise<Head[]> {
  const heads: Head[] = [];
  for (const name of ["one", "two", "three", "four"]) {
    const { number, sha: first } = await openPull(asAlice, name, { [`${name}-1`]: "" });
    const second = await commitOn(asAlice, first, { [`${name}-2`]: "" });
    const sha = await commitOn(asAlice, second, { [`${name}-3`]: "" });
    await asAlice.rest.git.updateRef({ ...target, ref: `heads/${name}`, sha });
    heads.push({ number, sha });
  }
  const base = await commitOn(asAlice, await tipOf(asAlice, "main"), { base: "" });
  await asAlice.rest.git.updateRef({ ...target, ref: "heads/main", sha: base });
  await sandbox.settled();
  return heads;
}

test.each(["rebase", "squash", "merge_commit"] as const)(
  "with the method %s, a build goes on where its last try failed",
  (method) =>
    inSandbox(
      async (scene) => {
        const { sandbox, asAlice } = scene;
        const heads = await openHeads(scene);
        const base = await tipOf(asAlice, "main");
        const expected = treesOf(await new Builder(scene, method).stack(base, heads));
        const builder = new Builder(scene, method);
        sandbox.faults.use({ rate: 0.2, kinds: { "500": 1 } });
        let built: TestCommitResult | null = null;
        let tries = 0;
        for (; built === null && tries < 40; tries++)
          built = await builder.stack(base, heads, "test/again").catch(() => null);
        expect(built && treesOf(built)).toEqual(expected);
        // All calls of a build by rebase succeed once in some ten thousand tries.
        expect(tries).toBeGreaterThan(1);
      },
      {},
      { ci: null },
    ),
);
