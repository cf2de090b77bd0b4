import type { Claim } from "../claim.ts";
import { moveRefs } from "../move-refs.ts";
import { answerOf } from "../observe.ts";
import { finishedRun, hasRun, startsRun, watchedBranch, watchedCommit } from "../workflow-runs.ts";

const needs = ["workflows: write", "actions: read"] as const;
const said = (starts: boolean) => (starts ? "starts a run" : "starts none");

/** Claims about the events that start workflows. */
export const workflowClaims: readonly Claim[] = [
  {
    id: "workflows/skip-ci",
    title: "A push whose last commit says [skip ci] starts no workflow",
    source: '"Skipping workflow runs"',
    needs,
    expected: "starts none",
    observe: async (scene) => {
      const { github, at } = scene;
      const { branch, sha } = await watchedBranch(scene);
      const skipped = await watchedCommit(scene, sha, "Change a file\n\n[skip ci]");
      await github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha: skipped });
      return said(await startsRun(scene, { branch, sha: skipped }, branch, skipped));
    },
  },
  {
    id: "workflows/over",
    title: "A run that is over is not cancelled, and runs no failed jobs again when none has failed",
    source: "API; the words: Homebrew/actions #70; of the second: memory",
    needs: ["workflows: write", "actions: write"],
    expected: {
      cancel: "409 Cannot cancel a workflow run that is completed.",
      rerun: "403 The workflow run cannot be retried: none of its jobs failed",
    },
    observe: async (scene) => {
      const { github, at } = scene;
      const { branch, sha } = await watchedBranch(scene);
      const run_id = await finishedRun(scene, branch, sha);
      return {
        cancel: await answerOf(github.rest.actions.cancelWorkflowRun({ ...at, run_id })),
        rerun: await answerOf(github.rest.actions.reRunWorkflowFailedJobs({ ...at, run_id })),
      };
    },
  },
  {
    id: "workflows/update-refs",
    title: "Does a branch that updateRefs moves or creates start workflows?",
    source: "open",
    needs,
    isQuestion: true,
    expected: { moved: "starts a run", created: "starts a run" },
    observe: async (scene) => {
      const watched = await watchedBranch(scene);
      const { sha: from } = watched;
      const branch = await scene.scratch.branch("moved", from);
      const moved = await watchedCommit(scene, from);
      await moveRefs(scene, [{ branch, from, to: moved }]);
      const made = scene.scratch.name("made");
      const created = await watchedCommit(scene, from);
      await moveRefs(scene, [{ branch: made, from: null, to: created }]);
      const runOfMoved = await startsRun(scene, watched, branch, moved);
      return { moved: said(runOfMoved), created: said(await hasRun(scene, made, created)) };
    },
  },
  {
    id: "workflows/path-filters",
    title: "Does a branch created at a pushed commit pass path filters?",
    source: '"Workflow syntax", git diff comparisons, which leaves it open',
    needs,
    isQuestion: true,
    expected: "starts none",
    observe: async (scene) => {
      const watched = await watchedBranch(scene);
      const second = await scene.scratch.branch("second", watched.sha);
      return said(await startsRun(scene, watched, second, watched.sha));
    },
  },
];
