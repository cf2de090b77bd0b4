import { type Claim, needing, type Scene } from "../claim.ts";
import { answerOf, noCommit, readUntil, tipOf, untilMergeable } from "../observe.ts";
import type { Pull } from "../scratch.ts";

const merge = ({ github, at }: Scene, pull_number: number, options: object = {}) =>
  github.rest.pulls.merge({ ...at, pull_number, ...options });

/** Creates a pull request that conflicts with a later change of its base. */
async function conflictingPull({ scratch }: Scene): Promise<Pull> {
  const tip = await scratch.commit(await scratch.root(), { "a.txt": "theirs\n" });
  return scratch.pull({ base: await scratch.branch("base", tip), files: { "a.txt": "mine\n" } });
}

/** Claims about `PUT …/pulls/{n}/merge`, and about other ways in which a pull request merges. */
export const mergeClaims = needing(
  ["pull_requests: write"],
  [
    {
      id: "merges/wrong-head",
      title: "A merge that names another head is refused, and merges nothing",
      source: "API",
      expected: { answer: "409 Head branch was modified. Review and try the merge again.", merged: false },
      observe: async (scene) => {
        const pull = await scene.scratch.pull();
        await untilMergeable(scene, pull);
        const answer = await answerOf(merge(scene, pull.number, { sha: await scene.scratch.root() }));
        return { answer, merged: (await tipOf(scene, pull.base)) !== (await scene.scratch.root()) };
      },
    },
    {
      id: "merges/indirect",
      title: "Moving a base that is not the default branch to a commit with the head merges the pull request",
      source: '"Indirect merges", which promises it for the default branch',
      expected: { merged: true, state: "closed", by: "Bot" },
      observe: async (scene) => {
        const { github, at, scratch } = scene;
        const { number: pull_number, base, sha: head } = await scratch.pull();
        const side = await scratch.branch("side");
        const onSide = await scratch.commit(await scratch.root(), { b: "1\n" });
        await github.rest.git.updateRef({ ...at, ref: `heads/${side}`, sha: onSide });
        const { data: made } = await github.rest.repos.merge({ ...at, base: side, head });
        await github.rest.git.updateRef({ ...at, ref: `heads/${base}`, sha: made.sha });
        const read = async () => (await github.rest.pulls.get({ ...at, pull_number })).data;
        const { merged, state, merged_by } = await readUntil(scene, read, (pull) => pull.merged);
        return { merged, state, by: merged_by?.type ?? null };
      },
    },
    {
      id: "merges/answer",
      title: "The answer to a merge names the commit that the base is then, made of the base and the head",
      source: "API",
      expected: { message: "Pull Request successfully merged", isTip: true, parents: true },
      observe: async (scene) => {
        const pull = await scene.scratch.pull();
        await untilMergeable(scene, pull);
        const { data } = await merge(scene, pull.number, { sha: pull.sha });
        const { data: made } = await scene.github.rest.git.getCommit({ ...scene.at, commit_sha: data.sha });
        const parents = [await scene.scratch.root(), pull.sha];
        return {
          message: data.message,
          isTip: (await tipOf(scene, pull.base)) === data.sha,
          parents: made.parents.map(({ sha }) => sha).join() === parents.join(),
        };
      },
    },
    {
      id: "merges/conflict",
      title: "A merge with a conflict is refused",
      source: "API; dependabot-pr-action #79",
      expected: "405 Pull Request is not mergeable",
      observe: async (scene) => {
        const pull = await conflictingPull(scene);
        await untilMergeable(scene, pull);
        return answerOf(merge(scene, pull.number));
      },
    },
    {
      id: "merges/rebase-conflict",
      title: "A rebase with a conflict is refused in its own words",
      source: "archlinuxcn/repo #2930",
      expected: "405 This branch can't be rebased",
      observe: async (scene) => {
        const pull = await conflictingPull(scene);
        await untilMergeable(scene, pull);
        return answerOf(merge(scene, pull.number, { merge_method: "rebase" }));
      },
    },
    {
      id: "merges/draft",
      title: "A draft is not merged",
      source: "API; the words: memory",
      expected: "405 Pull Request is still a draft",
      observe: async (scene) => {
        const pull = await scene.scratch.pull({ draft: true });
        await untilMergeable(scene, pull);
        return answerOf(merge(scene, pull.number));
      },
    },
    {
      id: "merges/closed",
      title: "A closed pull request and a merged one are not merged",
      source: "API; the words: memory",
      expected: { closed: "405 Pull Request is not mergeable", merged: "405 Pull Request is not mergeable" },
      observe: async (scene) => {
        const closed = await scene.scratch.pull();
        await scene.github.rest.pulls.update({ ...scene.at, pull_number: closed.number, state: "closed" });
        const merged = await scene.scratch.pull();
        await untilMergeable(scene, merged);
        await merge(scene, merged.number);
        return {
          closed: await answerOf(merge(scene, closed.number)),
          merged: await answerOf(merge(scene, merged.number)),
        };
      },
    },
    {
      id: "merges/absent",
      title: "A pull request that does not exist is not found",
      source: "API",
      expected: { get: "404 Not Found", merge: "404 Not Found" },
      observe: async (scene) => ({
        get: await answerOf(scene.github.rest.pulls.get({ ...scene.at, pull_number: 999_999_999 })),
        merge: await answerOf(merge(scene, 999_999_999, { sha: noCommit })),
      }),
    },
  ],
);

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
