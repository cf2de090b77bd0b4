import { branchOfEndedRun } from "../../engine/model/test-run.ts";
import type { Task } from "../../store/leased/outbox.ts";
import { cancelledRunsStep } from "../metrics/cancelled-runs.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import type { TaskResult } from "./task-executor.ts";

type CancelTask = Omit<Extract<Task, { type: "cancel_workflow_runs" }>, "type">;

/** Cancels the CI runs of a test run that is no longer needed. The queue does not wait for that. */
export class WorkflowRunCanceller {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  async cancel({ queueId, ...run }: CancelTask): Promise<TaskResult> {
    const repo = installed(await this.#context.directory.get(queueId));
    const branch = branchOfEndedRun(this.#context.settings.branches.test, run);
    const { cancelled, refused } = await this.#context.directory.codeHost.cancelWorkflowRuns(repo, branch);
    if (cancelled > 0) await this.#context.stores.meters.add([cancelledRunsStep(repo.owner, cancelled)]);
    if (refused !== null) {
      this.#context.log.info(
        { code: "CANCEL_REFUSED", queueId, branch },
        `GitHub does not let the App cancel workflow runs (${refused}); they end by themselves. Grant it the permission actions: write, or turn cancelObsoleteRuns off`,
      );
    }
    return "done";
  }
}
