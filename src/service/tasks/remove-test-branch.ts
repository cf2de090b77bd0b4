import { branchOfEndedRun } from "../../engine/model/test-run.ts";
import type { Task } from "../../ports/outbox.ts";
import { type Directory, installed } from "../queue/directory.ts";
import type { TaskResult } from "./task-executor.ts";

/** Removes the branch of a run that is no longer needed. */
export class BranchRemover {
  readonly #directory: Directory;
  readonly #branchPrefix: string;

  constructor(directory: Directory, branchPrefix: string) {
    this.#directory = directory;
    this.#branchPrefix = branchPrefix;
  }

  async remove({ queueId, ...run }: Extract<Task, { type: "remove_test_branch" }>): Promise<TaskResult> {
    const repo = installed(await this.#directory.get(queueId));
    await this.#directory.codeHost.removeBranch(repo, branchOfEndedRun(this.#branchPrefix, run));
    return "done";
  }
}
