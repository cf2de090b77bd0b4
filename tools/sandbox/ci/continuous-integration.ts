import { mergeTrees } from "../git/merge-trees.ts";
import type { Account, App } from "../world/account.ts";
import {
  addWorkflowRun,
  type CheckSuite,
  hasFailed,
  latestRuns,
  type WorkflowRequest,
  type WorkflowRun,
} from "../world/checks/check.ts";
import { addSuite, endSuite } from "../world/checks/checks.ts";
import type { PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { WorldEvent } from "../world/world-event.ts";
import { Attempt, type Tested } from "./attempt.ts";
import { workflowsOf } from "./ci-settings.ts";
import { ConcurrencyGroups, groupOf, Runners } from "./concurrency-groups.ts";
import { Flakes } from "./facts.ts";

import { fires, pathsBetween, pushedPaths, skipsCi } from "./triggers.ts";
import { expandJobs, type Workflow } from "./workflow.ts";

/** The trigger of a workflow run, for the run's record. */
interface Cause {
  before: string | null;
  /** The repository that the commit comes from. */
  headRepository: Repository;
  actor: Account;
  title: string;
}

/** A workflow run and its last attempt. */
interface Started {
  workflow: Workflow;
  run: WorkflowRun;
  tested: Tested;
  attempt: Attempt | null;
}

/**
 * The CI of every repository: a separate App that judges a tree and reports check runs. As with GitHub Actions, each trigger of a
 * workflow creates a run with its own suite, so a commit may have two check runs of the same name.
 */
export class ContinuousIntegration {
  readonly #world: World;
  readonly #app: App;
  readonly #started = new WeakMap<CheckSuite, Started>();
  readonly #flakes = new Flakes();
  readonly #groups = new ConcurrencyGroups();
  readonly #runners: Runners;

  /** @param runners number of runners of each owner */
  constructor(world: World, app: App, runners: number) {
    this.#world = world;
    this.#app = app;
    this.#runners = new Runners(runners);
  }

  async receive(event: WorldEvent): Promise<void> {
    if (event.type === "push") return this.#hearPush(event);
    if (event.type === "pull_request") {
      const { action } = event.change;
      if (action === "opened" || action === "reopened" || action === "synchronize") {
        const before = event.change.action === "synchronize" ? event.change.before : null;
        await this.#hearPull(event.pull, before);
      }
    }
    if (event.type === "workflow_request") return this.#obey(event.suite, event.request);
    if (event.type === "check_run" && event.action === "rerequested")
      return this.#obey(event.run.suite, { action: "rerun", jobs: [event.run.name] });
    if (event.type === "check_suite" && event.action === "rerequested")
      return this.#obey(event.suite, { action: "rerun", jobs: "all" });
  }

  async #obey(suite: CheckSuite, request: WorkflowRequest): Promise<void> {
    const started = this.#started.get(suite);
    if (started === undefined) return;
    if (request.action === "cancel") return started.attempt?.cancel();
    const failed = latestRuns(suite).filter(hasFailed);
    const names = request.jobs === "failed" ? failed.map(({ name }) => name) : request.jobs;
    started.run.attempt += 1;
    suite.endedAs = null;
    await this.#attempt(started, suite, names === "all" ? null : new Set(names));
  }

  async #hearPush(event: Extract<WorldEvent, { type: "push" }>): Promise<void> {
    const { repository, ref, before, after, sender: actor } = event;
    const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
    if (branch === null || after === null || repository.ci === null) return;
    const commit = await repository.git.commit(after);
    if (commit === null) return;
    const files = () => pushedPaths(repository, branch, before, after);
    const [title = ""] = commit.message.split("\n");
    const tested = { repository, commit, branch, tree: commit.tree, pr: null };
    for (const workflow of workflowsOf(repository.ci)) {
      if (workflow.on.push === null || !(await fires(workflow.on.push, branch, files))) continue;
      await this.#start(workflow, tested, { before, headRepository: repository, actor, title });
    }
  }

  async #hearPull(pull: PullRequest, before: string | null): Promise<void> {
    const { repository, head, base, author: actor, title } = pull;
    const commit = await repository.git.commit(head.sha);
    const tip = repository.branch(base.ref);
    if (repository.ci === null || commit === null || tip === null) return;
    const files = async () => {
      const { mergeBase } = await repository.git.graph.divergence(tip, head.sha);
      return pathsBetween(repository, mergeBase?.sha ?? null, head.sha);
    };
    const tree = (await mergeTrees(repository.git, tip, head.sha)) ?? commit.tree;
    const tested = { repository, commit, branch: head.ref, tree, pr: pull.number };
    for (const workflow of workflowsOf(repository.ci)) {
      const trigger = workflow.on.pull_request;
      if (trigger === null || !(await fires(trigger, base.ref, files))) continue;
      await this.#start(workflow, tested, { before, headRepository: head.repository, actor, title });
    }
  }

  async #start(workflow: Workflow, tested: Tested, { before, ...cause }: Cause): Promise<void> {
    const { repository, commit, branch, pr } = tested;
    if (skipsCi(commit.message)) return;
    const suite = addSuite(this.#world, repository, this.#app, { sha: commit.sha, branch, before });
    const event = pr === null ? "push" : "pull_request";
    const run = addWorkflowRun(this.#world, repository, { suite, workflow, event, ...cause });
    const started: Started = { workflow, run, tested, attempt: null };
    this.#started.set(suite, started);
    await this.#attempt(started, suite, null);
  }

  /** @param only the checks whose jobs are run; null = all */
  async #attempt(started: Started, suite: CheckSuite, only: ReadonlySet<string> | null): Promise<void> {
    const { workflow, run, tested } = started;
    const { repository, branch, pr } = tested;
    if (workflow.isInvalid) return endSuite(this.#world, repository, suite, "failure");
    const { concurrency } = workflow;
    const { event, id: runId } = run;
    const jobs = expandJobs(workflow.jobs, event).filter(({ check }) => only === null || only.has(check));
    const group = concurrency
      ? groupOf(concurrency.group, { event, workflow: workflow.name, branch, pr, runId })
      : null;
    const attempt: Attempt = new Attempt({
      world: this.#world,
      run,
      suite,
      tested,
      jobs,
      flakes: this.#flakes,
      runners: this.#runners,
      ended: async () => {
        if (group !== null) await this.#groups.leave(repository, group, attempt);
      },
    });
    started.attempt = attempt;
    if (!concurrency || group === null) return attempt.begin();
    run.isPending = true;
    await this.#groups.enter(repository, group, attempt, concurrency.cancelInProgress);
  }
}
