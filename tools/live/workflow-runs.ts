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

/** A branch on whose pushes the workflow listens, and the commit whose push has started a run. */
export interface Watched {
  readonly branch: string;
  readonly sha: string;
}

/** Throws `NotAsked` where pushes start no workflow. */
export async function watchedBranch(scene: Scene): Promise<Watched> {
  const { scratch } = scene;
  const begin = await scratch.commit(
    await scratch.root(),
    { [watchingWorkflow.path]: workflowFile },
    "Listen",
  );
  const branch = await scratch.branch("watched", begin);
  const sha = await push(scene, branch, begin);
  const run = await readUntil(
    scene,
    () => findRun(scene, branch, sha),
    (found) => found !== null,
  );
  if (run === null)
    throw new NotAsked("a push started no workflow: GitHub Actions is off in this repository, or slow");
  return { branch, sha };
}

/** A commit that changes a watched file. */
export function watchedCommit({ scratch }: Scene, parent: string, message?: string): Promise<string> {
  return scratch.commit(parent, { "watched/a.txt": `${scratch.unique("file")}\n` }, message);
}

/** Moves a branch to a new commit that changes a watched file. */
async function push(scene: Scene, branch: string, parent: string): Promise<string> {
  const { github, at } = scene;
  const sha = await watchedCommit(scene, parent);
  await github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha });
  return sha;
}

/**
 * Whether a run of the workflow begins for a commit on a branch. There is none if there is still none a while after a later push has
 * started its run.
 *
 * @param watched where that push goes
 */
export async function startsRun(
  scene: Scene,
  watched: Watched,
  branch: string,
  sha: string,
): Promise<boolean> {
  const later = await push(scene, watched.branch, watched.sha);
  const isDecided = async () =>
    (await findRun(scene, branch, sha)) !== null || (await findRun(scene, watched.branch, later)) !== null;
  if (!(await readUntil(scene, isDecided, (decided) => decided)))
    throw new NotAsked("a push started no workflow in time");
  return hasRun(scene, branch, sha);
}

/** Whether there is a run for a commit on a branch, or is one a little later. */
export async function hasRun(scene: Scene, branch: string, sha: string): Promise<boolean> {
  const grace = { patienceMs: scene.patienceMs / 10 };
  const find = () => findRun(scene, branch, sha);
  return (await readUntil(grace, find, (run) => run !== null)) !== null;
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
