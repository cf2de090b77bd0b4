import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import type { Claim, Scene } from "../claim.ts";
import { answerOf, noCommit, readUntil, tipOf } from "../observe.ts";

const observedByBors = "observed by bors and bors-ng";

/** Claims about branches in the REST API, with the messages that Trainyard recognises. */
export const refClaims: readonly Claim[] = [
  {
    id: "refs/exists",
    title: "A branch that exists is not created again",
    source: observedByBors,
    expected: "422 Reference already exists",
    observe: async ({ github, at, scratch }) => {
      const branch = await scratch.branch("taken");
      const sha = await scratch.root();
      return answerOf(github.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha }));
    },
  },
  {
    id: "refs/update-absent",
    title: "A branch that does not exist is not updated",
    source: observedByBors,
    expected: "422 Reference does not exist",
    observe: async ({ github, at, scratch }) =>
      answerOf(
        github.rest.git.updateRef({
          ...at,
          ref: `heads/${scratch.name("absent")}`,
          sha: await scratch.root(),
        }),
      ),
  },
  {
    id: "refs/delete-absent",
    title: "A branch that does not exist is not deleted",
    source: observedByBors,
    expected: "422 Reference does not exist",
    observe: ({ github, at, scratch }) =>
      answerOf(github.rest.git.deleteRef({ ...at, ref: `heads/${scratch.name("absent")}` })),
  },
  {
    id: "refs/not-fast-forward",
    title: "Without force a branch loses no commits",
    source: observedByBors,
    expected: { answer: "422 Update is not a fast forward", moved: false },
    observe: async (scene) => {
      const { github, at, scratch } = scene;
      const root = await scratch.root();
      const sha = await scratch.commit(root, { a: "1\n" });
      const branch = await scratch.branch("ahead", sha);
      const answer = await answerOf(github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha: root }));
      return { answer, moved: (await tipOf(scene, branch)) !== sha };
    },
  },
  {
    id: "refs/no-commit",
    title: "A branch is not created at a commit that does not exist",
    source: observedByBors,
    expected: "422 Object does not exist",
    observe: ({ github, at, scratch }) =>
      answerOf(
        github.rest.git.createRef({ ...at, ref: `refs/heads/${scratch.name("nowhere")}`, sha: noCommit }),
      ),
  },
  {
    id: "refs/get-absent",
    title: "A branch that does not exist is not found",
    source: "API",
    expected: { ref: "404 Not Found", branch: "404 Branch not found" },
    observe: async ({ github, at, scratch }) => {
      const branch = scratch.name("absent");
      return {
        ref: await answerOf(github.rest.git.getRef({ ...at, ref: `heads/${branch}` })),
        branch: await answerOf(github.rest.repos.getBranch({ ...at, branch })),
      };
    },
  },
  {
    id: "refs/matching",
    title: "Refs are listed by the beginning of their names",
    source: "API",
    expected: { found: 2, tip: true },
    observe: async ({ github, at, scratch }) => {
      const sha = await scratch.root();
      const one = await scratch.branch("matching", sha);
      const longer = `${one}-and-longer`;
      scratch.own(longer);
      await github.rest.git.createRef({ ...at, ref: `refs/heads/${longer}`, sha });
      const { data } = await github.rest.git.listMatchingRefs({ ...at, ref: `heads/${one}` });
      return { found: data.length, tip: data.every(({ object }) => object.sha === sha) };
    },
  },
  {
    id: "refs/activity",
    title: "The activity of a branch names each change with its commits and its actor, newest first",
    source: 'API "List repository activities"; that contents: read suffices: memory',
    expected: { types: "push branch_creation", after: true, byUs: true },
    observe: async ({ github, at, scratch, app, patienceMs }) => {
      const root = await scratch.root();
      const branch = await scratch.branch("active", root);
      const sha = await scratch.commit(root, { a: "1\n" });
      await github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha });
      const ref = `refs/heads/${branch}`;
      const read = async () => (await github.rest.repos.listActivities({ ...at, ref })).data;
      const activities = await readUntil({ patienceMs }, read, ({ length }) => length >= 2);
      return {
        types: activities.map(({ activity_type }) => activity_type).join(" "),
        after: activities[0]?.after === sha,
        byUs: activities.every(({ actor }) => actor?.login === `${app.slug}[bot]`),
      };
    },
  },
];

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

interface RefMove {
  readonly branch: string;
  /** The commit where the branch must be; null = the branch must not exist. Absent = it is not checked. */
  readonly from?: string | null;
  /** Null = delete the branch. */
  readonly to: string | null;
  readonly force?: boolean;
}

const nowhere = "0".repeat(40);
const mutation = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;

/** Builds the input of `updateRefs`. */
export async function updateRefsInput({ github, at }: Scene, moves: readonly RefMove[]) {
  const { data } = await github.rest.repos.get({ ...at });
  const refUpdates = moves.map(({ branch, from, to, force = false }) => ({
    name: `refs/heads/${branch}`,
    afterOid: to ?? nowhere,
    ...(from === undefined ? {} : { beforeOid: from ?? nowhere }),
    force,
  }));
  return { repositoryId: data.node_id, refUpdates };
}

/** Returns `moved`, or the types of the GraphQL errors. */
export async function moveRefs(scene: Scene, moves: readonly RefMove[]): Promise<string> {
  const input = await updateRefsInput(scene, moves);
  try {
    await scene.github.graphql(mutation, { input });
    return "moved";
  } catch (error) {
    if (!(error instanceof GraphqlResponseError)) throw error;
    return `refused: ${(error.errors ?? []).map(({ type }) => type ?? "no type").join(", ")}`;
  }
}
