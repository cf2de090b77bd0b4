import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import { isCodeHostFailure, isLasting } from "../workers/retry.ts";
import type { TaskResult } from "./task-executor.ts";

type RerunTask = Extract<Task, { type: "rerun_failed_checks" }>;

/** The delay before the next attempt while jobs are in progress. */
const busyMs = 5_000;

/** Re-runs the failed checks of a test run, and reports to the engine if that is impossible. */
export class FailedCheckRerunner {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  async rerun(task: RerunTask, row: OutboxRow): Promise<TaskResult> {
    try {
      return await this.#rerun(task);
    } catch (error) {
      // The queue continues with the results that it has, and people see why.
      if (!isCodeHostFailure(error) || !isLasting(error, row)) throw error;
      const { queueId, runId, attempt } = task;
      const { message } = error;
      await this.#context.runtime.dispatch(queueId, { type: "retry_refused", runId, attempt, message });
      return "done";
    }
  }

  async #rerun(task: RerunTask): Promise<TaskResult> {
    const { queueId, runId, attempt } = task;
    const run = (await this.#context.runtime.state(queueId)).runs.get(runId);
    const sha = run && testedSha(run);
    // The time for this retry has passed, or the run is no longer needed.
    if (run?.state !== "running" || run.retried?.attempt !== attempt || !sha) return "done";
    const repo = installed(await this.#context.directory.get(queueId));
    for (const suite of task.suites) {
      if (await this.#isBegun(repo, sha, suite, run, task.outdated)) continue;
      const result = await this.#context.directory.codeHost.rerunFailedJobs(repo, suite);
      if (result.kind === "busy") return { againAt: this.#context.clock.now() + busyMs };
      if (result.kind === "begun") continue;
      const { message } = result;
      await this.#context.runtime.dispatch(queueId, { type: "retry_refused", runId, attempt, message });
      return "done";
    }
    return "done";
  }

  /**
   * Whether an earlier attempt has already started the re-run. Starting it twice would exceed the allowed
   * number.
   */
  async #isBegun(
    repo: InstalledRepository,
    sha: string,
    suite: number,
    { required, branch }: Pick<TestRun, "required" | "branch">,
    outdated: readonly number[],
  ): Promise<boolean> {
    const { checks } = await this.#context.directory.codeHost.readChecks(repo, sha, required, branch);
    const failed = checks.filter(({ suiteId, id }) => suiteId === suite && outdated.includes(id));
    return failed.length === 0;
  }
}
