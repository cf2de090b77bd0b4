import { findRun } from "../../../engine/model/queue.ts";
import type { QueueRecord } from "../../../store/queue/queue-store.ts";
import type { TestRepository, TestUploadFacts } from "../../store/uploads/upload-records.ts";
import type { TestContext } from "../test-context.ts";

/** The branch data of an upload. */
export interface SaidBranch extends Pick<TestUploadFacts, "kind" | "branch"> {
  /** The base branch of the change; null when not given. */
  readonly baseBranch: string | null;
}

/**
 * Finds the stable branch that an upload's line belongs to. A test may be broken on one stable branch and
 * work on another.
 */
export class BranchLines {
  readonly #context: TestContext;

  constructor(context: TestContext) {
    this.#context = context;
  }

  /** Returns "" when the line is unknown. */
  async lineOf(
    { id, repo }: Pick<TestRepository, "id" | "repo">,
    { kind, branch, baseBranch }: SaidBranch,
  ): Promise<string> {
    if (kind === "stable") return branch;
    if (baseBranch !== null) return baseBranch;
    if (kind === "unknown") return "";
    const queues = await this.#context.directory.ofRepository(repo);
    if (kind === "queue") {
      const tested = await this.#testedFor(branch, queues);
      if (tested !== null) return tested;
    }
    const [only, another] = queues;
    return (await this.#context.stores.testResults.mainLine(id)) ?? (another ? "" : (only?.branch ?? ""));
  }

  /** The branch that a test branch is tested for. The test branch's name ends with the run's id. */
  async #testedFor(
    testBranch: string,
    queues: readonly Pick<QueueRecord, "id" | "branch">[],
  ): Promise<string | null> {
    const [only, another] = queues;
    if (only && !another) return only.branch;
    const runId = testBranch.slice(testBranch.lastIndexOf("/") + 1);
    for (const { id, branch } of queues) if (findRun(await this.#context.stateOf(id), runId)) return branch;
    return null;
  }
}
