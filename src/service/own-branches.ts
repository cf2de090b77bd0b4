import { testBranchName } from "../engine/model/test-run.ts";
import { allRuns, findRun } from "../engine/model/find-run.ts";
import type { QueueRecord, QueueStore } from "../ports/queue-store.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

/** What the scratch branch of a queue's tries is named after: they are built beside what is queued. */
export function scratchOfTries(branch: string): string {
  return `${branch}+try`;
}

/** How the names of our branches begin. */
export interface BranchPrefixes {
  /** CI listens to these. */
  readonly test: string;
  /** Test commits are made on these, to which nothing listens. */
  readonly scratch: string;
}

/** `in_use` and `left_behind` ones are ours. */
export type BranchState = "in_use" | "left_behind" | "not_ours";

/** Tells branches that this service has made from those that somebody else has, below the same prefixes. */
export class OwnBranches {
  readonly #runtime: QueueRuntime;
  readonly #store: Pick<QueueStore, "findRun">;
  readonly #prefixes: BranchPrefixes;

  constructor(runtime: QueueRuntime, store: Pick<QueueStore, "findRun">, prefixes: BranchPrefixes) {
    this.#runtime = runtime;
    this.#store = store;
    this.#prefixes = prefixes;
  }

  /** By what the queues of its repository know of it now. */
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

  /** A queue builds on the first, computes what a merge makes of its base on the second, and builds tries on the third. */
  #scratchNames({ branch }: QueueRecord): readonly string[] {
    const name = this.#prefixes.scratch + branch;
    return [name, `${name}+merge`, this.#prefixes.scratch + scratchOfTries(branch)];
  }

  async #isBuilding(queues: readonly QueueRecord[]): Promise<boolean> {
    for (const { id } of queues) {
      const runs = [...allRuns(await this.#runtime.state(id))];
      if (runs.some(({ state }) => state === "building")) return true;
    }
    return false;
  }
}
