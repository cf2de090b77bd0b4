import { branchOfEndedRun } from "../../engine/model/test-run.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import type { MeterStore } from "../../store/leased/meter-store.ts";
import type { Task } from "../../store/leased/outbox.ts";
import { cancelledRunsStep } from "../metrics/cancelled-runs.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import type { TaskResult } from "./task-executor.ts";

type CancelTask = Omit<Extract<Task, { type: "cancel_workflow_runs" }>, "type">;

/** Cancels the CI runs of a test run that is no longer needed. The queue does not depend on it. */
export class WorkflowRunCanceller {
  readonly #directory: Directory;
  readonly #branchPrefix: string;
  readonly #meters: Pick<MeterStore, "add">;
  readonly #log: Logger;

  constructor(directory: Directory, branchPrefix: string, meters: Pick<MeterStore, "add">, log: Logger) {
    this.#directory = directory;
    this.#branchPrefix = branchPrefix;
    this.#meters = meters;
    this.#log = log;
  }

  async cancel({ queueId, ...run }: CancelTask): Promise<TaskResult> {
    const repo = installed(await this.#directory.get(queueId));
    const branch = branchOfEndedRun(this.#branchPrefix, run);
    const { cancelled, refused } = await this.#directory.codeHost.cancelWorkflowRuns(repo, branch);
    if (cancelled > 0) await this.#meters.add([cancelledRunsStep(repo.owner, cancelled)]);
    if (refused !== null) {
      this.#log.info(
        { code: "CANCEL_REFUSED", queueId, branch },
        `GitHub does not let the App cancel workflow runs (${refused}); they end by themselves. Grant it the permission actions: write, or turn cancelObsoleteRuns off`,
      );
    }
    return "done";
  }
}
