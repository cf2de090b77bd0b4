import { branchOfEndedRun } from "../../engine/model/test-run.ts";
import type { Task } from "../../store/leased/outbox.ts";
import { scratchBranches } from "../observation/own-branches.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import type { TaskResult } from "./task-executor.ts";

/** Removes our branches that are no longer needed. */
export class BranchRemover {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  async remove({ queueId, ...run }: Extract<Task, { type: "remove_test_branch" }>): Promise<TaskResult> {
    const repo = installed(await this.#context.directory.get(queueId));
    await this.#context.directory.codeHost.removeBranch(
      repo,
      branchOfEndedRun(this.#context.settings.branches.test, run),
    );
    return "done";
  }

  /** Removes the scratch branches of a deleted queue, unless a new queue of its branch uses them. */
  async removeScratch({ queueId }: Extract<Task, { type: "remove_scratch_branches" }>): Promise<TaskResult> {
    const { codeHost } = this.#context.directory;
    const queue = await this.#context.directory.get(queueId);
    const others = await this.#context.directory.ofRepository(queue.repo);
    if (others.some(({ branch }) => branch === queue.branch)) return "done";
    const names = scratchBranches(this.#context.settings.branches, queue.branch);
    await Promise.all(names.map((name) => codeHost.removeBranch(installed(queue), name)));
    return "done";
  }
}
