import type { Claim } from "../claim.ts";
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
