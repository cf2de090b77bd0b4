import type { TestCommitOutcome } from "../../engine/model/input.ts";
import { findRun, type QueueState, tryOfRun } from "../../engine/model/queue.ts";
import { scratchName, type TestRun, testBranchName } from "../../engine/model/test-run.ts";
import type { Try } from "../../engine/model/tries/try.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { TestCommitPlan, TestCommitResult } from "../../ports/code-host/merging.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { OutdatedReading } from "../observation/readings.ts";
import { requiredChecksOf } from "../observation/required-checks.ts";
import { installed } from "../runtime/directory.ts";
import { observeTask } from "../runtime/plan-tasks.ts";
import { isCodeHostFailure, isLasting, messageOf, type TaskHistory } from "../workers/retry.ts";
import type { WorkflowRunCanceller } from "./cancel-workflow-runs.ts";
import { CommitMessages } from "./commit-messages.ts";
import { wouldConcernOneMerge } from "./concerns-one-merge.ts";
import { stackToBuildOn } from "./stack.ts";
import type { TaskResult } from "./task-executor.ts";

/** The number of quick attempts. After them, the failure is reported to the engine, which shows it to people and waits longer. */
const quickTries = 3;

/** Builds the test commit of a run, and reports the outcome to the engine. */
export class TestCommitBuilder {
  readonly #context: ObservationContext;
  readonly #canceller: WorkflowRunCanceller;
  readonly #messages: CommitMessages;

  constructor(context: ObservationContext, canceller: WorkflowRunCanceller) {
    this.#context = context;
    this.#canceller = canceller;
    this.#messages = new CommitMessages(context);
  }

  async build(
    { queueId, runId, pr }: Extract<Task, { type: "build_test_commit" }>,
    row: OutboxRow,
  ): Promise<TaskResult> {
    const { runtime, directory, settings } = this.#context;
    const state = await runtime.state(queueId);
    const run = findRun(state, runId);
    const repo = installed(await directory.get(queueId));
    const branch = testBranchName(settings.branches.test, { id: runId, members: [pr] });
    if (run?.state !== "building") {
      // An earlier attempt may have pushed the branch and died before it could report that.
      if (!run && row.attempts > 0) await directory.codeHost.removeBranch(repo, branch);
      return "done";
    }
    const outcome = await this.#outcome(repo, state, run, row);
    const { state: after } = await runtime.dispatch(
      queueId,
      { type: "test_commit_concluded", runId, outcome },
      { settles: row },
    );
    // The run may have been discarded while its branch was being built.
    const orphaned = outcome.kind === "built" && !findRun(after, runId);
    if (orphaned) {
      await directory.codeHost.removeBranch(repo, branch);
      if (after.settings.cancelObsoleteRuns) await this.#canceller.cancel({ queueId, runId, pr });
    }
    return "settled";
  }

  async #outcome(
    repo: InstalledRepository,
    state: QueueState,
    run: TestRun,
    row: OutboxRow,
  ): Promise<TestCommitOutcome> {
    try {
      return await this.#build(repo, state, run, row);
    } catch (error) {
      // When the queue cannot work at all, the failure says nothing about a pull request.
      if (!isCodeHostFailure(error) || (await this.#context.reach.suspectFailure(state.id, error)))
        throw error;
      if (["busy", "rate_limited", "denied"].includes(error.kind) || row.failures < quickTries) throw error;
      return { kind: "infrastructure_error", message: messageOf(error) };
    }
  }

  async #build(
    repo: InstalledRepository,
    state: QueueState,
    run: TestRun,
    row: OutboxRow,
  ): Promise<TestCommitOutcome> {
    const { directory, files } = this.#context;
    const { codeHost } = directory;
    const checks = await requiredChecksOf(state, repo, codeHost, files);
    if ("invalid" in checks) return { kind: "configuration_invalid", message: checks.invalid };
    const { acceptFromHead } = state.settings;
    // Checks that passed on each head do not prove that the combination works.
    if (checks.required.every(({ name }) => acceptFromHead.includes(name)))
      return { kind: "no_required_checks" };
    const plan = await this.#plan(repo, state, run, row.attempts);
    const result = await this.#push(repo, state, plan, row);
    if (result.kind === "permission_denied") return result;
    await expectUnmerged(this.#context, { queueId: state.id, repo }, result, row);
    if (result.kind !== "built") return result;
    const own = result.commits.length - run.members.length;
    const parentSha = result.commits[own - 1]?.commitSha ?? plan.parentSha;
    return { kind: "built", branch: plan.branch, parentSha, commits: result.commits.slice(own), ...checks };
  }

  /** A denial that lasts counts against a pull request only if the App can merge something else. */
  async #push(
    repo: InstalledRepository,
    state: QueueState,
    plan: TestCommitPlan,
    row: OutboxRow,
  ): Promise<TestCommitResult | Extract<TestCommitOutcome, { kind: "permission_denied" }>> {
    const { directory, reach, settings } = this.#context;
    const { codeHost } = directory;
    const { scratch: prefix } = settings.branches;
    const other = { codeHost, repo, sha: plan.parentSha, scratch: plan.scratch, prefix };
    const concernsOne = await wouldConcernOneMerge(row, other);
    try {
      return await codeHost.buildTestCommit(repo, plan);
    } catch (error) {
      if (!isCodeHostFailure(error) || error.kind !== "denied" || !isLasting(error, row)) throw error;
      if (await reach.suspectFailure(state.id, error)) throw error;
      if (error.isOfReading || !concernsOne) throw error;
      return { kind: "permission_denied", message: error.message };
    }
  }

  async #plan(
    repo: InstalledRepository,
    state: QueueState,
    run: TestRun,
    attempts: number,
  ): Promise<TestCommitPlan> {
    const tried = tryOfRun(state, run.id);
    if (tried) return this.#planTry(repo, state, run, tried, attempts);
    if (run.ofBase) return this.#planBaseTest(repo, state, run, attempts);
    const { parentSha, steps } = stackToBuildOn(state, run);
    return {
      branch: testBranchName(this.#context.settings.branches.test, run),
      method: run.method,
      parentSha,
      steps: await Promise.all(
        steps.map(async ({ pr, treeSha }) => {
          const entry = state.entries.get(pr);
          if (!entry) throw new Error(`run ${run.id} contains #${pr}, which is not in the queue`);
          const { headSha, headRef, title } = entry;
          // An entry ahead merges with the commit that its own run has built, so it needs no message here.
          const isMember = run.members.includes(pr);
          const message = isMember ? await this.#messages.of(repo, entry, run.method) : null;
          return { pr, treeSha, headSha, headRef, title, ...(message ? { message } : {}) };
        }),
      ),
      scratch: scratchName(state.branch),
      mayExist: attempts > 0,
    };
  }

  /** Builds an empty commit on the base, because results of earlier tests of the tip itself are outdated. */
  async #planBaseTest(
    repo: InstalledRepository,
    state: QueueState,
    run: TestRun,
    attempts: number,
  ): Promise<TestCommitPlan> {
    const treeSha = await this.#context.directory.codeHost.treeOf(repo, run.base);
    const [pr] = run.members;
    const title = `Test ${state.branch} by itself`;
    const step = { pr, headSha: run.base, headRef: state.branch, title, treeSha, message: { title } };
    return {
      branch: testBranchName(this.#context.settings.branches.test, run),
      method: run.method,
      parentSha: run.base,
      steps: [step],
      scratch: scratchName(state.branch, "+try"),
      mayExist: attempts > 0,
    };
  }

  /** Builds on the current base, because a move of the base does not change the run of a try. */
  async #planTry(
    repo: InstalledRepository,
    state: QueueState,
    run: TestRun,
    { pr, headSha, headRef, title }: Try,
    attempts: number,
  ): Promise<TestCommitPlan> {
    const tip = await this.#context.directory.codeHost.branchTip(repo, state.branch, true);
    return {
      branch: testBranchName(this.#context.settings.branches.test, run),
      method: run.method,
      parentSha: tip ?? run.base,
      steps: [{ pr, headSha, headRef, title, treeSha: null }],
      scratch: scratchName(state.branch, "+try"),
      mayExist: attempts > 0,
    };
  }
}

/** How often GitHub is asked again before a pull request without changes fails. With the delays of `retryDelayMs`, that takes 15 s. */
const mostDoubts = 4;

/**
 * Checks that a pull request whose changes cannot be added to a test commit has not been merged or closed by somebody else. After a merge,
 * its changes are on the base for seconds before GitHub shows it as merged.
 *
 * @throws {OutdatedReading} it has, or may have
 */
export async function expectUnmerged(
  { directory, outbox, clock }: QueueContext,
  { queueId, repo }: { readonly queueId: string; readonly repo: InstalledRepository },
  result: TestCommitResult,
  { failedAs, failedInARow }: TaskHistory,
): Promise<void> {
  if (result.kind !== "empty" && result.kind !== "conflict") return;
  const { pr } = result;
  const read = await directory.codeHost.readPullRequest(repo, pr);
  if (read && read.state !== "open") {
    await outbox.add(observeTask(queueId, pr, clock.now()));
    throw new OutdatedReading(`#${pr} is ${read.state}`);
  }
  const doubts = failedAs === "busy" ? failedInARow : 0;
  if (result.kind === "empty" && doubts < mostDoubts)
    throw new OutdatedReading(`#${pr} changes nothing, so it may have been merged`);
}
