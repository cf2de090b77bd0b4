import type { Claim, Scene } from "../claim.ts";
import { answerOf, refusalOf, untilMergeable } from "../observe.ts";

const workflows = ["workflows: write"] as const;
const words = (file: string) =>
  `refusing to allow a GitHub App to create or update workflow \`${file}\` without \`workflows\` permission`;
const file = ".github/workflows/trainyard-live-new.yml";

/** A workflow file that no other branch has. Only a manual dispatch can start it. */
const newWorkflow = ({ scratch }: Scene) => ({
  [file]: `# ${scratch.unique("workflow")}\non: workflow_dispatch\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: "true"\n`,
});

const withoutWorkflows = ({ narrow }: Scene) => narrow({ contents: "write", pull_requests: "write" });

/** Claims about GitHub's denials when a token lacks a permission. */
export const permissionClaims: readonly Claim[] = [
  {
    id: "permissions/denied",
    title: "Without contents: write a branch is not created",
    source: '"Permissions required for GitHub Apps"; the words: observed',
    expected: "403 Resource not accessible by integration",
    observe: async ({ at, scratch, narrow }) => {
      const ref = `refs/heads/${scratch.name("denied")}`;
      const sha = await scratch.root();
      const { rest } = await narrow({ contents: "read" });
      return refusalOf(rest.git.createRef({ ...at, ref, sha }));
    },
  },
  {
    id: "permissions/workflow-ref",
    title: "Without workflows: write a branch is not created at a commit with a new workflow file",
    source: "getmydia/mydia #634; the status: memory",
    needs: workflows,
    expected: `422 ${words(file)}`,
    observe: async (scene) => {
      const { at, scratch } = scene;
      const sha = await scratch.commit(await scratch.root(), newWorkflow(scene));
      const ref = `refs/heads/${scratch.name("workflow")}`;
      const { rest } = await withoutWorkflows(scene);
      return answerOf(rest.git.createRef({ ...at, ref, sha }));
    },
  },
  {
    id: "permissions/workflow-branch-merge",
    title: "Without workflows: write POST merges does not bring a new workflow file",
    source: "getmydia/mydia #634; the status: memory",
    needs: workflows,
    expected: `403 ${words(file)}`,
    observe: async (scene) => {
      const { at, scratch } = scene;
      const root = await scratch.root();
      const base = await scratch.branch("base", await scratch.commit(root, { "a.txt": "1\n" }));
      const head = await scratch.commit(root, newWorkflow(scene));
      const { rest } = await withoutWorkflows(scene);
      return answerOf(rest.repos.merge({ ...at, base, head }));
    },
  },
  {
    id: "permissions/workflow-merge",
    title: "Without workflows: write a pull request with a new workflow file is not merged",
    source: "KeisukeYamashita/auto-pull-request-merge #481; the status: memory",
    needs: ["workflows: write", "pull_requests: write"],
    expected: `403 ${words(file)}`,
    observe: async (scene) => {
      const { at, scratch } = scene;
      const pull = await scratch.pull({ files: newWorkflow(scene) });
      await untilMergeable(scene, pull);
      const { rest } = await withoutWorkflows(scene);
      return answerOf(rest.pulls.merge({ ...at, pull_number: pull.number }));
    },
  },
];
