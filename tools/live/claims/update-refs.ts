import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import type { Claim } from "../claim.ts";
import { moveRefs, updateRefsInput } from "../move-refs.ts";
import { tipOf } from "../observe.ts";
import type { Scene } from "../scene.ts";

const schema = "GraphQL schema, updateRefs";

/** Creates a branch at a commit, and a further commit on top of that commit. */
async function branchAndNext({ scratch }: Scene, label: string) {
  const from = await scratch.root();
  return {
    branch: await scratch.branch(label, from),
    from,
    to: await scratch.commit(from, { [label]: "1\n" }),
  };
}

const pathsShape = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])).optional() }));

/** Claims about GraphQL's `updateRefs`: it changes all branches or none, and acts as a compare-and-swap. */
export const updateRefClaims: readonly Claim[] = [
  {
    id: "update-refs/stale",
    title: "One stale expected value refuses the changes of all branches",
    source: schema,
    expected: { answer: "refused: UNPROCESSABLE", firstMoved: false, secondMoved: false },
    observe: async (scene) => {
      const one = await branchAndNext(scene, "one");
      const two = await branchAndNext(scene, "two");
      const answer = await moveRefs(scene, [one, { ...two, from: two.to }]);
      return {
        answer,
        firstMoved: (await tipOf(scene, one.branch)) !== one.from,
        secondMoved: (await tipOf(scene, two.branch)) !== two.from,
      };
    },
  },
  {
    id: "update-refs/all",
    title: "One call moves, creates and deletes branches",
    source: schema,
    expected: { answer: "moved", moved: true, created: true, deleted: true },
    observe: async (scene) => {
      const moved = await branchAndNext(scene, "moved");
      const gone = await scene.scratch.branch("gone", moved.from);
      const made = scene.scratch.name("made");
      const answer = await moveRefs(scene, [
        moved,
        { branch: gone, from: moved.from, to: null },
        { branch: made, from: null, to: moved.to },
      ]);
      return {
        answer,
        moved: (await tipOf(scene, moved.branch)) === moved.to,
        created: (await tipOf(scene, made)) === moved.to,
        deleted: (await tipOf(scene, gone)) === null,
      };
    },
  },
  {
    id: "update-refs/absent",
    title: "A branch that is expected to be absent and exists is not overwritten, even with force",
    source: schema,
    expected: { answer: "refused: UNPROCESSABLE", moved: false },
    observe: async (scene) => {
      const { branch, from, to } = await branchAndNext(scene, "present");
      const answer = await moveRefs(scene, [{ branch, from: null, to, force: true }]);
      return { answer, moved: (await tipOf(scene, branch)) !== from };
    },
  },
  {
    id: "update-refs/force",
    title: "A branch loses commits with force only",
    source: schema,
    expected: { without: "refused: UNPROCESSABLE", with: "moved" },
    observe: async (scene) => {
      const root = await scene.scratch.root();
      const branch = await scene.scratch.branch("ahead", await scene.scratch.commit(root, { a: "1\n" }));
      return {
        without: await moveRefs(scene, [{ branch, to: root }]),
        with: await moveRefs(scene, [{ branch, to: root, force: true }]),
      };
    },
  },
  {
    id: "update-refs/several",
    title: "Of several mutations in one request each is refused by itself, and its error has its path",
    source: 'GraphQL "Forming calls"; GraphQL specification',
    expected: { paths: "one", firstMoved: false, secondMoved: true },
    observe: async (scene) => {
      const one = await branchAndNext(scene, "one");
      const two = await branchAndNext(scene, "two");
      const inputs = {
        one: await updateRefsInput(scene, [{ ...one, from: one.to }]),
        two: await updateRefsInput(scene, [two]),
      };
      const paths = await pathsOfErrors(scene, inputs);
      return {
        paths,
        firstMoved: (await tipOf(scene, one.branch)) !== one.from,
        secondMoved: (await tipOf(scene, two.branch)) === two.to,
      };
    },
  },
];

async function pathsOfErrors({ github }: Scene, inputs: Record<"one" | "two", object>): Promise<string> {
  const document = `mutation ($one: UpdateRefsInput!, $two: UpdateRefsInput!) {
    one: updateRefs(input: $one) { clientMutationId } two: updateRefs(input: $two) { clientMutationId }
  }`;
  try {
    await github.graphql(document, inputs);
    return "";
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return pathsShape
      .parse(error.errors ?? [])
      .map(({ path = [] }) => path.join("/"))
      .join(", ");
  }
}
