import { branchOfEndedRun } from "../../engine/model/test-run.ts";
import type { Task } from "../../store/leased/outbox.ts";
import { type BranchPrefixes, scratchBranches } from "../observation/own-branches.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import type { TaskResult } from "./task-executor.ts";

/** Removes our branches that are no longer needed. */
export class BranchRemover {
  readonly #directory: Directory;
  readonly #prefixes: BranchPrefixes;

  constructor(directory: Directory, prefixes: BranchPrefixes) {
    this.#directory = directory;
    this.#prefixes = prefixes;
  }

  /** Removes the branch of a run. */
  async remove({ queueId, ...run }: Extract<Task, { type: "remove_test_branch" }>): Promise<TaskResult> {
    const repo = installed(await this.#directory.get(queueId));
    await this.#directory.codeHost.removeBranch(repo, branchOfEndedRun(this.#prefixes.test, run));
    return "done";
  }

  /** Removes the scratch branches of a deleted queue, unless a new queue of its branch uses them. */
  async removeScratch({ queueId }: Extract<Task, { type: "remove_scratch_branches" }>): Promise<TaskResult> {
    const { codeHost } = this.#directory;
    const queue = await this.#directory.get(queueId);
    const others = await this.#directory.ofRepository(queue.repo);
    if (others.some(({ branch }) => branch === queue.branch)) return "done";
    const names = scratchBranches(this.#prefixes, queue.branch);
    await Promise.all(names.map((name) => codeHost.removeBranch(installed(queue), name)));
    return "done";
  }
}
