import type { Commit } from "../git/git-object.ts";
import { draw, drawBetween } from "../seeded-draw.ts";
import type { CheckRun, CheckSuite, WorkflowRun } from "../world/checks/check.ts";
import { createRun, endSuite, updateRun } from "../world/checks/checks.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { CiSettings } from "./ci-settings.ts";
import type { GroupMember, Runners } from "./concurrency-groups.ts";
import { type Flakes, judgeFacts, readFacts, type Verdict } from "./facts.ts";
import type { ExpandedJob } from "./workflow.ts";

/** The share of a job's duration that passes before it requests a runner, and its limit in milliseconds. */
const QUEUED_SHARE = 0.1;
const MOST_QUEUED_MS = 1_000;

/** The commit and tree that a workflow run tests. */
export interface Tested {
  repository: Repository;
  commit: Commit;
  branch: string;
  /** The commit's own tree, or the tree of a pull request's test merge. */
  tree: string;
  /** The pull request that started the run; null = a push started it. */
  pr: number | null;
}

interface AttemptParts {
  world: World;
  run: WorkflowRun;
  suite: CheckSuite;
  tested: Tested;
  jobs: readonly ExpandedJob[];
  flakes: Flakes;
  runners: Runners;
  /** Called once, when all jobs have ended. */
  ended: () => Promise<void>;
}

interface LiveJob {
  planned: ExpandedJob;
  check: CheckRun;
  verdict: Verdict;
  isFlake: boolean;
  /** Cancels its timers, and returns its runner. */
  stop: () => void;
}

/** One attempt to run the jobs of a workflow run. */
export class Attempt implements GroupMember {
  readonly #parts: AttemptParts;
  readonly #live = new Set<LiveJob>();
  #state: "new" | "begun" | "over" = "new";
  #starting: Promise<void> = Promise.resolve();

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  begin(): Promise<void> {
    this.#state = "begun";
    this.#starting = this.#startJobs();
    return this.#starting;
  }

  async #startJobs(): Promise<void> {
    const { world, tested, jobs, flakes, run } = this.#parts;
    const { repository, tree, pr } = tested;
    const { ci } = repository;
    run.isPending = false;
    if (ci === null) return this.#end();
    const files = await readFacts(repository.git, tree);
    const judged = jobs.filter(({ isSkipped }) => !isSkipped);
    const truth = judgeFacts(
      files,
      judged.map(({ job }) => job),
    );
    const verdicts = new Map<string, Verdict>();
    for (const { check, job } of judged) {
      const verdict = truth.get(job);
      if (verdict) verdicts.set(check, verdict);
    }
    const planned = pr === null ? flakes.strike(repository, files, verdicts) : null;
    for (const job of jobs) {
      const { check, isSkipped } = job;
      const now = world.now();
      if (isSkipped) {
        await this.#createCheck(check, { status: "completed", conclusion: "skipped", completedAt: now });
        continue;
      }
      const verdict = verdicts.get(check);
      if (verdict) await this.#startJob(ci, job, verdict, planned?.check === check ? planned.reason : null);
    }
    if (this.#live.size === 0) await this.#end();
  }

  /** Ends every running job as cancelled. An attempt that has not begun has no jobs; only its suite ends. */
  async cancel(): Promise<void> {
    if (this.#state === "over") return;
    const { world, tested, suite, run } = this.#parts;
    if (this.#state === "new") {
      run.isPending = false;
      this.#state = "over";
      await endSuite(world, tested.repository, suite, "cancelled");
      return this.#parts.ended();
    }
    // A job that starts later would run to its end.
    await this.#starting;
    for (const job of this.#live) {
      job.stop();
      this.#live.delete(job);
      await this.#complete(job.check, "cancelled", "The operation was canceled.");
    }
    await this.#end();
  }

  async #startJob(
    ci: CiSettings,
    job: ExpandedJob,
    truth: Verdict,
    plannedFlake: string | null,
  ): Promise<void> {
    const { check: name } = job;
    const { world, tested, runners } = this.#parts;
    const { repository, commit } = tested;
    const check = await this.#createCheck(name, {
      status: ci.jobsBegin,
      conclusion: null,
      completedAt: null,
    });
    const key = [commit.sha, name, this.#earlier(name)] as const;
    const duration = drawBetween(world.seed, ci.durationMs, "duration", ...key);
    const isDrawn = draw(world.seed, "flake", ...key) < ci.flakeRate;
    const flake = plannedFlake ?? (isDrawn ? "a flake: the tree is good" : null);
    const isFlake = truth.conclusion === "success" && flake !== null;
    const verdict: Verdict = isFlake ? { conclusion: "failure", reasons: [flake] } : truth;
    const live: LiveJob = { planned: job, check, verdict, isFlake, stop: () => {} };
    this.#live.add(live);
    const { background } = world;
    const queued = Math.min(duration * QUEUED_SHARE, MOST_QUEUED_MS);
    live.stop = background.after(queued, () => {
      let giveBack = () => {};
      let stopTimer = () => {};
      live.stop = () => {
        stopTimer();
        giveBack();
      };
      giveBack = runners.take(repository.owner, () => {
        background.run(() =>
          updateRun(world, repository, check, { status: "in_progress", startedAt: world.now() }),
        );
        stopTimer = background.after(duration - queued, () => this.#finish(live));
      });
    });
  }

  async #finish(job: LiveJob): Promise<void> {
    const { check, verdict } = job;
    const conclusion = await this.#takeLastStep(job);
    // The job was cancelled in the meantime.
    if (!this.#live.delete(job)) return;
    job.stop();
    const summary = verdict.reasons.length === 0 ? "All is well." : verdict.reasons.join("\n");
    await this.#complete(check, conclusion, summary);
    if (this.#live.size === 0) await this.#end();
  }

  async #takeLastStep({ planned, check, verdict: { conclusion }, isFlake }: LiveJob) {
    const { world, tested, run } = this.#parts;
    const { repository, commit, tree, branch, pr } = tested;
    const step = repository.ci?.lastStep;
    if (!step) return conclusion;
    const { job, leg } = planned;
    const of = {
      gitDirectory: repository.git.directory,
      sha: commit.sha,
      tree,
      branch,
      pr,
      workflow: run.workflow.name,
      job,
      leg,
    };
    return step({
      ...of,
      check: check.name,
      checkRunId: check.id,
      runId: run.id,
      runAttempt: run.attempt,
      conclusion,
      isFlake,
      closing: world.background.closing,
    });
  }

  #createCheck(name: string, state: Pick<CheckRun, "status" | "conclusion" | "completedAt">) {
    const { world, tested, suite } = this.#parts;
    return createRun(world, tested.repository, suite, {
      name,
      ...state,
      startedAt: world.now(),
      externalId: `${name}-${this.#earlier(name) + 1}`,
      detailsUrl: null,
      output: { title: null, summary: null, text: null, annotations: [] },
    });
  }

  #complete(check: CheckRun, conclusion: "success" | "failure" | "cancelled", summary: string) {
    const { world, tested } = this.#parts;
    const title = { success: "Passed", failure: "Failed", cancelled: "Cancelled" }[conclusion];
    return updateRun(world, tested.repository, check, {
      status: "completed",
      conclusion,
      completedAt: world.now(),
      output: { title, summary, text: null, annotations: [] },
    });
  }

  /** Returns the number of CI's check runs on the commit that have this name. */
  #earlier(name: string): number {
    const { tested, suite } = this.#parts;
    const own = tested.repository.suitesOf(tested.commit.sha).filter(({ app }) => app === suite.app);
    return own.flatMap(({ runs }) => runs).filter((run) => run.name === name).length;
  }

  async #end(): Promise<void> {
    if (this.#state === "over") return;
    this.#state = "over";
    await this.#parts.ended();
  }
}
