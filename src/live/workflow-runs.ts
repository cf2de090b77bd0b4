import { NotAsked } from "./claim.ts";
import { readUntil } from "./observe.ts";
import type { Scene } from "./scene.ts";
import { scratchPrefix } from "./scratch.ts";

/** Runs on every push to a branch of ours that changes a file below `watched/`. */
export const watchingWorkflow = {
  name: "trainyard-live",
  path: ".github/workflows/trainyard-live.yml",
  branches: `${scratchPrefix}**`,
  paths: "watched/**",
} as const;

const workflowFile = `name: ${watchingWorkflow.name}
on:
  push:
    branches: ["${watchingWorkflow.branches}"]
    paths: ["${watchingWorkflow.paths}"]
jobs:
  nothing:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
`;

/** A branch on whose pushes the workflow listens. Throws `NotAsked` where pushes start no workflow. */
export async function watchedBranch(scene: Scene): Promise<{ branch: string; sha: string }> {
  const { github, at, scratch } = scene;
  const begin = await scratch.commit(
    await scratch.root(),
    { [watchingWorkflow.path]: workflowFile },
    "Listen",
  );
  const branch = await scratch.branch("watched", begin);
  const sha = await watchedCommit(scene, begin);
  await github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha });
  if (!(await startsRun(scene, branch, sha)))
    throw new NotAsked("a push started no workflow: GitHub Actions is off in this repository, or slow");
  return { branch, sha };
}

/** A commit that changes a watched file. */
export function watchedCommit({ scratch }: Scene, parent: string, message?: string): Promise<string> {
  return scratch.commit(parent, { "watched/a.txt": `${scratch.unique("file")}\n` }, message);
}

/** Whether a run of the workflow begins for a commit on a branch while GitHub has its time. */
export async function startsRun(scene: Scene, branch: string, sha: string): Promise<boolean> {
  return (
    (await readUntil(
      scene,
      () => findRun(scene, branch, sha),
      (run) => run !== null,
    )) !== null
  );
}

/** The id of the workflow's run for a commit on a branch, once it is over. */
export async function finishedRun(scene: Scene, branch: string, sha: string): Promise<number> {
  const isOver = (run: Run | null) => run?.status === "completed";
  const run = await readUntil(scene, () => findRun(scene, branch, sha), isOver);
  if (run?.status !== "completed") throw new NotAsked("the run of the workflow was not over in time");
  return run.id;
}

interface Run {
  readonly id: number;
  readonly status: string | null;
}

async function findRun({ github, at }: Scene, branch: string, head_sha: string): Promise<Run | null> {
  const { data } = await github.rest.actions.listWorkflowRunsForRepo({ ...at, branch, head_sha });
  return data.workflow_runs.find(({ event }) => event === "push") ?? null;
}
