import type { Claim, Scene } from "../claim.ts";
import { answerOf } from "../observe.ts";
import { finishedRun, hasRun, startsRun, watchedBranch, watchedCommit } from "../workflow-runs.ts";
import { moveRefs } from "./refs.ts";

/** Creates a branch at a new commit, because checks and statuses belong to a commit. */
async function freshCommit({ scratch }: Scene): Promise<string> {
  const unique = scratch.unique("reported");
  const sha = await scratch.commit(await scratch.root(), { "a.txt": `${unique}\n` }, `Begin ${unique}`);
  await scratch.branch("reported", sha);
  return sha;
}

const hasNext = (link: string | undefined): boolean => /rel="next"/.test(link ?? "");

/** Claims about check runs and commit statuses, and their paging. */
export const reportClaims: readonly Claim[] = [
  {
    id: "checks/latest",
    title: "Of two check runs of one name the latest is listed, unless all are asked for",
    source: "API",
    needs: ["checks: write"],
    expected: { latest: "success", all: 2 },
    observe: async (scene) => {
      const { github, at } = scene;
      const ref = await freshCommit(scene);
      for (const conclusion of ["failure", "success"] as const)
        await github.rest.checks.create({ ...at, name: "live", head_sha: ref, conclusion });
      const { data: latest } = await github.rest.checks.listForRef({ ...at, ref });
      const { data: all } = await github.rest.checks.listForRef({ ...at, ref, filter: "all" });
      return {
        latest: latest.check_runs.map(({ conclusion }) => conclusion).join(),
        all: all.total_count,
      };
    },
  },
  {
    id: "checks/paging",
    title: "Check runs are paged, with their number on each page and a link to the next",
    source: 'REST "Pagination"',
    needs: ["checks: write"],
    expected: { total: 2, onPage: 1, firstHasNext: true, lastHasNext: false, app: true },
    observe: async (scene) => {
      const { github, at, app } = scene;
      const ref = await freshCommit(scene);
      for (const name of ["one", "two"])
        await github.rest.checks.create({ ...at, name, head_sha: ref, conclusion: "success" });
      const first = await github.rest.checks.listForRef({ ...at, ref, per_page: 1 });
      const last = await github.rest.checks.listForRef({ ...at, ref, per_page: 1, page: 2 });
      return {
        total: first.data.total_count,
        onPage: first.data.check_runs.length,
        firstHasNext: hasNext(first.headers.link),
        lastHasNext: hasNext(last.headers.link),
        app: first.data.check_runs[0]?.app?.id === app.id,
      };
    },
  },
  {
    id: "checks/updated",
    title: "A check run is updated in place, and completed by its conclusion",
    source: "API",
    needs: ["checks: write"],
    expected: { before: "queued", after: "completed", same: true },
    observe: async (scene) => {
      const { github, at } = scene;
      const head_sha = await freshCommit(scene);
      const { data: before } = await github.rest.checks.create({
        ...at,
        name: "live",
        head_sha,
        status: "queued",
      });
      const conclusion = "success";
      const { data: after } = await github.rest.checks.update({ ...at, check_run_id: before.id, conclusion });
      return { before: before.status, after: after.status, same: before.id === after.id };
    },
  },
  {
    id: "statuses/combined",
    title: "The combined status has the latest status of each context",
    source: "API",
    needs: ["statuses: write"],
    expected: { state: "failure", total: 2, one: "success" },
    observe: async (scene) => {
      const { github, at } = scene;
      const sha = await freshCommit(scene);
      const report = (context: string, state: "pending" | "success" | "failure") =>
        github.rest.repos.createCommitStatus({ ...at, sha, context, state });
      await report("one", "pending");
      await report("one", "success");
      await report("two", "failure");
      const { data } = await github.rest.repos.getCombinedStatusForRef({ ...at, ref: sha });
      const one = data.statuses.find(({ context }) => context === "one");
      return { state: data.state, total: data.total_count, one: one?.state ?? null };
    },
  },
  {
    id: "statuses/paging",
    title: "Statuses are listed with all earlier ones, newest first, in pages",
    source: 'REST "Pagination"; API',
    needs: ["statuses: write"],
    expected: { newest: "success", firstHasNext: true, oldest: "pending", lastHasNext: false },
    observe: async (scene) => {
      const { github, at } = scene;
      const sha = await freshCommit(scene);
      for (const state of ["pending", "success"] as const)
        await github.rest.repos.createCommitStatus({ ...at, sha, context: "one", state });
      const page = (page: number) =>
        github.rest.repos.listCommitStatusesForRef({ ...at, ref: sha, per_page: 1, page });
      const [first, last] = [await page(1), await page(2)];
      return {
        newest: first.data[0]?.state ?? null,
        firstHasNext: hasNext(first.headers.link),
        oldest: last.data[0]?.state ?? null,
        lastHasNext: hasNext(last.headers.link),
      };
    },
  },
];

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
