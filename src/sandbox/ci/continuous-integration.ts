import { matchesGlob } from "node:path";
import type { Commit } from "../git/git-object.ts";
import { mergeTrees } from "../git/merge-trees.ts";
import { draw, drawBetween } from "../seeded-draw.ts";
import type { Account, App } from "../world/account.ts";
import { type CheckRun, type CheckSuite, hasFailed, latestRuns } from "../world/check.ts";
import { addSuite, createRun, updateRun } from "../world/checks.ts";
import type { PullRequest } from "../world/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import { addWorkflowRun, repeatWorkflow, workflowRunOf } from "../world/workflow-run.ts";
import type { World } from "../world/world.ts";
import type { WorldEvent } from "../world/world-event.ts";
import { judgeFacts, type Verdict } from "./facts.ts";
import { Flakes } from "./flakes.ts";
import { readFacts } from "./judge-tree.ts";
import { skipsCi } from "./skip-ci.ts";

/** Which part of a check's time it waits for a runner. */
const QUEUED_SHARE = 0.1;

interface Workflow {
  repository: Repository;
  commit: Commit;
  branch: string;
  before: string | null;
  /** What is tested: the commit's own tree, or a pull request's test merge. */
  tree: string;
  /** The pull request that started it; null = a push to a branch did. */
  pr: number | null;
  /** For the run's record: where the commit comes from, and who began it. */
  headRepository: Repository;
  actor: Account;
  title: string;
}

/**
 * The CI of every repository: an App of its own that looks at a tree and reports check runs. Each trigger is
 * a workflow run with a suite of its own, as with GitHub Actions, so a commit may carry two runs of one name.
 */
export class ContinuousIntegration {
  readonly #world: World;
  readonly #app: App;
  /** What each suite of ours tests, for running it again. */
  readonly #workflows = new WeakMap<CheckSuite, Workflow>();
  readonly #flakes = new Flakes();

  constructor(world: World, app: App) {
    this.#world = world;
    this.#app = app;
  }

  async hear(event: WorldEvent): Promise<void> {
    if (event.type === "push") return this.#hearPush(event);
    if (event.type === "pull_request") {
      const { action } = event.change;
      if (action === "opened" || action === "reopened" || action === "synchronize") {
        const before = event.change.action === "synchronize" ? event.change.before : null;
        await this.#hearPull(event.pull, before);
      }
    }
    if (event.type === "failed_jobs_rerun") return this.#runFailedAgain(event);
    if (event.type === "check_suite" && event.action === "rerequested") {
      const workflow = this.#workflows.get(event.suite);
      if (workflow !== undefined) {
        repeatWorkflow(workflow.repository, event.suite);
        await this.#run(workflow, event.suite);
      }
    }
  }

  async #runFailedAgain({ repository, suite }: Extract<WorldEvent, { type: "failed_jobs_rerun" }>) {
    const workflow = this.#workflows.get(suite);
    if (workflow === undefined) return;
    const failed = latestRuns(suite).filter(hasFailed);
    repeatWorkflow(repository, suite);
    await this.#run(workflow, suite, new Set(failed.map(({ name }) => name)));
  }

  async #hearPush(event: Extract<WorldEvent, { type: "push" }>): Promise<void> {
    const { repository, ref, before, after, sender: actor } = event;
    const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
    if (branch === null || after === null) return;
    if (!repository.ci?.branches.some((glob) => matchesGlob(branch, glob))) return;
    const commit = await repository.git.commit(after);
    if (commit === null) return;
    const [title = ""] = commit.message.split("\n");
    const { tree } = commit;
    const origin = { headRepository: repository, actor, title };
    await this.#start({ repository, commit, branch, before, tree, pr: null, ...origin });
  }

  async #hearPull(pull: PullRequest, before: string | null): Promise<void> {
    const { repository, head, base, author: actor, title } = pull;
    if (!repository.ci?.pullRequests) return;
    const commit = await repository.git.commit(head.sha);
    const tip = repository.branch(base.ref);
    if (commit === null || tip === null) return;
    const tree = (await mergeTrees(repository.git, tip, head.sha)) ?? commit.tree;
    const origin = { headRepository: head.repository, actor, title };
    await this.#start({ repository, commit, branch: head.ref, before, tree, pr: pull.number, ...origin });
  }

  async #start(workflow: Workflow): Promise<void> {
    const { repository, commit, branch, before } = workflow;
    if (skipsCi(commit.message)) return;
    const suite = addSuite(this.#world, repository, this.#app, { sha: commit.sha, branch, before });
    this.#workflows.set(suite, workflow);
    const { headRepository, actor, title, pr } = workflow;
    const event = pr === null ? "push" : "pull_request";
    addWorkflowRun(this.#world, repository, { suite, event, headRepository, actor, title });
    await this.#run(workflow, suite);
  }

  /** `only`: the checks that are run, if not all. */
  async #run(workflow: Workflow, suite: CheckSuite, only: ReadonlySet<string> | null = null): Promise<void> {
    const { repository, commit, tree, pr } = workflow;
    const { ci } = repository;
    if (ci === null) return;
    const files = await readFacts(repository.git, tree);
    const verdicts = judgeFacts(files, ci.checks);
    const planned = pr === null ? this.#flakes.strike(repository, files, verdicts) : null;
    const key = (run: CheckRun, attempt: number) => [commit.sha, run.name, attempt] as const;
    for (const [name, verdict] of verdicts) {
      if (only !== null && !only.has(name)) continue;
      const attempt = this.#attempts(repository, commit.sha, name) + 1;
      const run = await createRun(this.#world, repository, suite, {
        name,
        status: "queued",
        conclusion: null,
        startedAt: this.#world.now(),
        completedAt: null,
        externalId: `${name}-${attempt}`,
        detailsUrl: null,
        output: { title: null, summary: null, text: null, annotations: [] },
      });
      const { seed } = this.#world;
      const duration = drawBetween(seed, ci.durationMs, "duration", ...key(run, attempt));
      const isDrawn = draw(seed, "flake", ...key(run, attempt)) < ci.flakeRate;
      const flake = planned?.check === name ? planned.reason : isDrawn ? "a flake: the tree is good" : null;
      const isFlake = verdict.conclusion === "success" && flake !== null;
      this.#schedule(
        workflow,
        run,
        isFlake ? { conclusion: "failure", reasons: [flake] } : verdict,
        isFlake,
        duration,
      );
    }
  }

  #schedule(workflow: Workflow, run: CheckRun, verdict: Verdict, isFlake: boolean, duration: number): void {
    const { repository } = workflow;
    const { background } = this.#world;
    background.after(duration * QUEUED_SHARE, () =>
      updateRun(this.#world, repository, run, { status: "in_progress", startedAt: this.#world.now() }),
    );
    background.after(duration, async () => {
      const conclusion = await this.#takeLastStep(workflow, run, verdict, isFlake);
      await updateRun(this.#world, repository, run, {
        status: "completed",
        conclusion,
        completedAt: this.#world.now(),
        output: {
          title: conclusion === "success" ? "Passed" : "Failed",
          summary: verdict.reasons.length === 0 ? "All is well." : verdict.reasons.join("\n"),
          text: null,
          annotations: [],
        },
      });
    });
  }

  async #takeLastStep(
    { repository, commit, tree, branch, pr }: Workflow,
    run: CheckRun,
    { conclusion }: Verdict,
    isFlake: boolean,
  ) {
    const step = repository.ci?.lastStep;
    const workflowRun = workflowRunOf(repository, run.suite);
    if (!step || !workflowRun) return conclusion;
    const { id: runId, attempt: runAttempt } = workflowRun;
    const job = { sha: commit.sha, tree, branch, pr, check: run.name, runId, runAttempt };
    return step({ ...job, conclusion, isFlake });
  }

  #attempts(repository: Repository, sha: string, check: string): number {
    const own = repository.suitesOf(sha).filter(({ app }) => app === this.#app);
    return own.flatMap(({ runs }) => runs).filter(({ name }) => name === check).length;
  }
}
