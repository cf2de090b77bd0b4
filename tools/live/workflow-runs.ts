import { NotAsked, type Scene } from "./claim.ts";
import { readUntil } from "./observe.ts";

import { scratchPrefix } from "./scratch.ts";

/** A workflow that runs on every push to a scratch branch that changes a file below `watched/`. */
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

/** A branch whose pushes start the workflow, and the commit whose push started a run. */
interface Watched {
  readonly branch: string;
  readonly sha: string;
}

/**
 * Creates a branch with the workflow and waits for its first run.
 * @throws NotAsked when pushes start no workflow
 */
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
 * Whether a run of the workflow starts for a commit on a branch. To decide that none starts, it pushes another commit, waits for
 * the run of that push, and allows some more time.
 *
 * @param watched the branch of the later push
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

/** Whether a run exists for a commit on a branch, or starts a little later. */
export async function hasRun(scene: Scene, branch: string, sha: string): Promise<boolean> {
  const grace = { patienceMs: scene.patienceMs / 10 };
  const find = () => findRun(scene, branch, sha);
  return (await readUntil(grace, find, (run) => run !== null)) !== null;
}

/** Returns the id of the workflow's run for a commit on a branch, once that run is over. */
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
