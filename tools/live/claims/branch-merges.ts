import type { Claim } from "../claim.ts";
import { answerOf, noCommit } from "../observe.ts";

/** Claims about `POST …/merges`, which builds test commits. */
export const branchMergeClaims: readonly Claim[] = [
  {
    id: "branch-merges/made",
    title: "POST merges makes a merge commit of both tips, and names its tree",
    source: "API",
    expected: { status: 201, parents: true, hasBoth: true, message: "Trial merge" },
    observe: async ({ github, at, scratch }) => {
      const root = await scratch.root();
      const tip = await scratch.commit(root, { a: "1\n" });
      const head = await scratch.commit(root, { b: "1\n" });
      const base = await scratch.branch("base", tip);
      const merge = { ...at, base, head, commit_message: "Trial merge" };
      const { status, data } = await github.rest.repos.merge(merge);
      const { data: tree } = await github.rest.git.getTree({ ...at, tree_sha: data.commit.tree.sha });
      const names = tree.tree.map(({ path }) => path);
      return {
        status,
        parents: data.parents.map(({ sha }) => sha).join() === `${tip},${head}`,
        hasBoth: names.includes("a") && names.includes("b"),
        message: data.commit.message,
      };
    },
  },
  {
    id: "branch-merges/nothing",
    title: "POST merges answers 204 when the base has the head",
    source: "API",
    expected: "204",
    observe: async ({ github, at, scratch }) => {
      const head = await scratch.root();
      const base = await scratch.branch("base", await scratch.commit(head, { a: "1\n" }));
      return answerOf(github.rest.repos.merge({ ...at, base, head }));
    },
  },
  {
    id: "branch-merges/conflict",
    title: "POST merges answers 409 for a conflict",
    source: "API",
    expected: "409 Merge conflict",
    observe: async ({ github, at, scratch }) => {
      const root = await scratch.root();
      const base = await scratch.branch("base", await scratch.commit(root, { a: "mine\n" }));
      const head = await scratch.commit(root, { a: "yours\n" });
      return answerOf(github.rest.repos.merge({ ...at, base, head }));
    },
  },
  {
    id: "branch-merges/absent",
    title: "POST merges answers 404 for a base or a head that does not exist",
    source: "API; the words: bors",
    expected: { base: "404 Base does not exist", head: "404 Head does not exist" },
    observe: async ({ github, at, scratch }) => {
      const head = await scratch.root();
      const base = await scratch.branch("base", head);
      return {
        base: await answerOf(github.rest.repos.merge({ ...at, base: scratch.name("absent"), head })),
        head: await answerOf(github.rest.repos.merge({ ...at, base, head: noCommit })),
      };
    },
  },
];
