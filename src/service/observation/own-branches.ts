import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import { allRuns, findRun } from "../../engine/model/tries/find-run.ts";
import type { QueueRecord, QueueStore } from "../../store/queue/queue-store.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";

/** The prefixes of our branch names. */
export interface BranchPrefixes {
  /** CI runs on these branches. */
  readonly test: string;
  /** Test commits are created on these branches, on which CI does not run. */
  readonly scratch: string;
}

/**
 * The scratch branches of a queue. It builds test commits on the first, computes merge results on the second, and builds tries on
 * the third, because all of that can happen at the same time.
 */
export function scratchBranches({ scratch }: BranchPrefixes, branch: string): readonly string[] {
  return (["", "+merge", "+try"] as const).map((use) => scratch + scratchName(branch, use));
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
    if (queues.some((queue) => scratchBranches(this.#prefixes, queue.branch).includes(branch)))
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

  async #isBuilding(queues: readonly QueueRecord[]): Promise<boolean> {
    for (const { id } of queues) {
      const runs = [...allRuns(await this.#runtime.state(id))];
      if (runs.some(({ state }) => state === "building")) return true;
    }
    return false;
  }
}
