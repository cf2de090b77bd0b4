import { testBranchName } from "../../engine/model/test-run.ts";
import { allRuns, findRun } from "../../engine/model/tries/find-run.ts";
import type { QueueRecord, QueueStore } from "../../ports/queue-store.ts";
import type { QueueRuntime } from "../queue/queue-runtime.ts";

/**
 * The scratch branch name for a queue's tries. It is separate because tries are built concurrently with queue
 * entries.
 */
export function scratchOfTries(branch: string): string {
  return `${branch}+try`;
}

/** The scratch branch name on which a queue's merge results are computed. */
export function scratchOfMerges(branch: string): string {
  return `${branch}+merge`;
}

/** The prefixes of our branch names. */
export interface BranchPrefixes {
  /** CI runs on these branches. */
  readonly test: string;
  /** Test commits are created on these branches, on which CI does not run. */
  readonly scratch: string;
}

/** `in_use` and `left_behind` branches are ours. */
export type BranchState = "in_use" | "left_behind" | "not_ours";

/** Distinguishes branches that this service created from other branches with the same prefixes. */
export class OwnBranches {
  readonly #runtime: QueueRuntime;
  readonly #store: Pick<QueueStore, "findRun">;
  readonly #prefixes: BranchPrefixes;

  constructor(runtime: QueueRuntime, store: Pick<QueueStore, "findRun">, prefixes: BranchPrefixes) {
    this.#runtime = runtime;
    this.#store = store;
    this.#prefixes = prefixes;
  }

  /** Judged by the current state of the repository's queues. */
  async stateOf(branch: string, queues: readonly QueueRecord[]): Promise<BranchState> {
    if (queues.some((queue) => this.#scratchNames(queue).includes(branch)))
      return (await this.#isBuilding(queues)) ? "in_use" : "left_behind";
    const [, runId = ""] = /\/([^/]+)$/.exec(branch) ?? [];
    for (const { id } of queues) {
      const live = findRun(await this.#runtime.state(id), runId);
      const run = live ?? (await this.#store.findRun(id, runId))?.run;
      const name = run && (run.branch ?? testBranchName(this.#prefixes.test, run));
      if (name === branch) return live ? "in_use" : "left_behind";
    }
    return "not_ours";
  }

  /**
   * A queue builds test commits on the first, computes merge results on the second, and builds tries on the
   * third.
   */
  #scratchNames({ branch }: QueueRecord): readonly string[] {
    const { scratch } = this.#prefixes;
    return [branch, scratchOfMerges(branch), scratchOfTries(branch)].map((own) => scratch + own);
  }

  async #isBuilding(queues: readonly QueueRecord[]): Promise<boolean> {
    for (const { id } of queues) {
      const runs = [...allRuns(await this.#runtime.state(id))];
      if (runs.some(({ state }) => state === "building")) return true;
    }
    return false;
  }
}
