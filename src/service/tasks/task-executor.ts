import { assertNever } from "../../engine/assert-never.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { installed } from "../runtime/directory.ts";
import { StatusPublisher } from "../status/publish-status.ts";
import { LeasedWorker } from "../workers/leased-worker.ts";
import { failureKind, isCodeHostFailure, isGone, messageOf, retryDelayMs } from "../workers/retry.ts";
import { TestCommitBuilder } from "./build-test-commit.ts";
import { WorkflowRunCanceller } from "./cancel-workflow-runs.ts";
import { HeadExaminer } from "./examine-head.ts";
import { MergeExecutor } from "./merge-entries.ts";
import { PullRequestObserver } from "./observe-pull-request.ts";
import { TestPullRequestOpener } from "./open-test-pull-request.ts";
import { BranchRemover } from "./remove-test-branch.ts";
import { TryReporter } from "./report-try.ts";
import { WaitReporter } from "./report-wait.ts";
import { FailedCheckRerunner } from "./rerun-failed-checks.ts";

const tasksAtOnce = 16;

type ReactTask = Extract<Task, { type: "react" }>;

/**
 * After this many failures, a branch that cannot be removed is left to the sweeper. Most other tasks are
 * never given up: the queue must not continue before the outcome of a task is known, and the texts on pull
 * requests must become correct.
 */
const maxRemovals = 8;
/** The number of attempts to cancel workflow runs. They end by themselves anyway. */
const maxCancellations = 4;
/**
 * The longest delay while a whole queue cannot work, so that work continues soon after the obstacle is gone.
 */
const maxObstructedMs = 60_000;

/** The result of a task. `settled`: its row was already settled together with the outcome. */
export type TaskResult = "done" | "settled" | { readonly againAt: number };

/** Carries out one outbox row, and settles or postpones it. */
export class TaskExecutor {
  readonly #context: ObservationContext;
  readonly #builder: TestCommitBuilder;
  readonly #merger: MergeExecutor;
  readonly #tries: TryReporter;
  readonly #remover: BranchRemover;
  readonly #canceller: WorkflowRunCanceller;
  readonly #opener: TestPullRequestOpener;
  readonly #publisher: StatusPublisher;
  readonly #observer: PullRequestObserver;
  readonly #examiner: HeadExaminer;
  readonly #rerunner: FailedCheckRerunner;
  readonly #waits: WaitReporter;

  constructor(context: ObservationContext) {
    this.#context = context;
    this.#canceller = new WorkflowRunCanceller(context);
    this.#builder = new TestCommitBuilder(context, this.#canceller);
    this.#merger = new MergeExecutor(context);
    this.#tries = new TryReporter(context);
    this.#remover = new BranchRemover(context);
    this.#opener = new TestPullRequestOpener(context);
    this.#publisher = new StatusPublisher(context);
    this.#observer = new PullRequestObserver(context);
    this.#examiner = new HeadExaminer(context);
    this.#rerunner = new FailedCheckRerunner(context);
    this.#waits = new WaitReporter(context.runtime);
  }

  async execute(row: OutboxRow): Promise<void> {
    const { outbox } = this.#context;
    try {
      const result = await this.#execute(row);
      if (result === "done") await outbox.settle(row);
      else if (result !== "settled") await outbox.postpone(row, result.againAt, null);
    } catch (error) {
      await this.#postpone(row, error);
    }
  }

  async #execute(row: OutboxRow): Promise<TaskResult> {
    const { task } = row;
    switch (task.type) {
      case "build_test_commit":
        return this.#builder.build(task, row);
      case "report_try":
        return this.#tries.report(task);
      case "merge":
        return this.#merger.merge(task, row);
      case "open_test_pull_request":
        return this.#opener.open(task);
      case "cancel_workflow_runs":
        return this.#canceller.cancel(task);
      case "remove_test_branch":
        return this.#remover.remove(task);
      case "remove_scratch_branches":
        return this.#remover.removeScratch(task);
      case "publish":
        await this.#publisher.publish(task, row);
        return "done";
      case "examine_head":
        return this.#examiner.examine(task, row);
      case "rerun_failed_checks":
        return this.#rerunner.rerun(task, row);
      case "observe_pull_request":
        return this.#observer.observe(task, row);
      case "react":
        return this.#react(task);
      default:
        return assertNever(task);
    }
  }

  async #react({ commentNodeId, reaction, ...task }: ReactTask): Promise<TaskResult> {
    await this.#context.directory.codeHost.react(await this.#presentPlace(task), commentNodeId, reaction);
    return "done";
  }

  /** The task's repository with its current name and installation. */
  async #presentPlace({
    repo,
    repositoryId,
    installationId,
  }: Pick<ReactTask, "repo" | "repositoryId" | "installationId">): Promise<InstalledRepository> {
    const { directory } = this.#context;
    const [queue] =
      repositoryId === undefined
        ? await directory.ofRepository(repo)
        : await directory.ofRepositoryId(repositoryId);
    return queue ? installed(queue) : { ...repo, installationId };
  }

  async #postpone(row: OutboxRow, error: unknown): Promise<void> {
    const { outbox, clock, log } = this.#context;
    const fields = { task: row.task, attempts: row.attempts, failures: row.failures, err: error };
    if (row.task.type === "remove_test_branch" && row.failures >= maxRemovals) {
      log.warn(fields, `left a branch to the sweeper: ${messageOf(error)}`);
      return outbox.settle(row);
    }
    if (row.task.type === "cancel_workflow_runs" && row.failures >= maxCancellations) {
      log.warn(fields, `left workflow runs to end by themselves: ${messageOf(error)}`);
      return outbox.settle(row);
    }
    const isShown = row.task.type === "publish" || row.task.type === "react";
    if ((isShown || row.task.type === "remove_scratch_branches") && isGone(error, row)) {
      log.error(fields, `gave up on ${row.task.type}: ${messageOf(error)}`);
      return outbox.settle(row);
    }
    if (isCodeHostFailure(error) && error.kind === "rate_limited") {
      const { task, attempts } = row;
      log.info({ task, attempts, waitMs: error.retryAfterMs }, `${task.type} has to wait: ${error.message}`);
    } else log.warn(fields, `${row.task.type} failed and will be tried again: ${messageOf(error)}`);
    const isObstructed =
      "queueId" in row.task && (await this.#context.reach.suspectFailure(row.task.queueId, error));
    const until =
      clock.now() +
      Math.min(retryDelayMs(error, row.failures, row), isObstructed ? maxObstructedMs : Infinity);
    // A task that only displays something is given up after a day without its repository. A missing repository is an obstacle, too.
    const kind = failureKind(error, isObstructed && !isShown);
    await outbox.postpone(row, until, messageOf(error), kind);
    await this.#waits.report(row, error, until);
  }
}

/** Creates the worker that carries out the queues' tasks at the code host. */
export function createTaskWorker(context: ObservationContext): LeasedWorker<OutboxRow> {
  const { outbox, ids, clock, log, settings } = context;
  const executor = new TaskExecutor(context);
  return new LeasedWorker<OutboxRow>({
    name: "outbox",
    owner: ids.next(),
    rows: outbox,
    execute: (row) => executor.execute(row),
    clock,
    log,
    leaseMs: settings.leaseMs,
    concurrency: tasksAtOnce,
  });
}
