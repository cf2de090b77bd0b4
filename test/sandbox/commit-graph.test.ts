import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { GitRepository } from "../../tools/sandbox/git/git-repository.ts";
import fc from "../drawn.ts";
import { runGit } from "./git-client.ts";

/** Histories as lists of parents: each commit names earlier ones by how far back they are. */
const histories = fc.array(fc.uniqueArray(fc.nat(5), { maxLength: 2 }), { minLength: 2, maxLength: 14 });

test("ancestry, ranges, and merge bases agree with git's on any history", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sandbox-graph-"));
  const git = GitRepository.create(directory, "main");
  const tree = git.writeTree([]);
  let salt = 0;
  const property = fc.asyncProperty(histories, async (history) => {
    const shas: string[] = [];
    for (const backs of history) {
      salt += 1;
      const parents = backs.map((back) => shas[shas.length - 1 - back]).filter((sha) => sha !== undefined);
      const signature = { name: "a", email: "a@example.com", date: new Date(salt * 1000) };
      shas.push(
        git.writeCommit({ tree, parents, author: signature, committer: signature, message: `${salt}` }),
      );
    }
    const [left = "", right = ""] = [shas.at(-1), shas.at(-2)];
    const { mergeBase, onlyLeft, onlyRight } = await git.graph.divergence(left, right);
    const counts = await runGit(directory, "rev-list", "--left-right", "--count", `${left}...${right}`);
    expect(`${onlyLeft.length}\t${onlyRight.length}`).toBe(counts);
    const bases = await runGit(directory, "merge-base", "--all", left, right).catch(() => "");
    expect(bases.split("\n")).toContain(mergeBase?.sha ?? "");
    expect(await git.graph.contains(left, right)).toBe(bases === right);
  });
  await fc.assert(property, { numRuns: 40, seed: 1 });
  await git.close();
  await rm(directory, { recursive: true });
});
