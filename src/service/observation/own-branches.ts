import { allRuns, findRun, type QueueState } from "../../engine/model/queue.ts";
import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { QueueRecord, QueueStore } from "../../store/queue/queue-store.ts";
import { type Directory, installed } from "../runtime/directory.ts";
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

/** The interval of sweeps that happen without any sign of leftover branches. */
const sweepEveryMs = 30 * 60_000;

/**
 * Removes our branches that no test run needs: leftovers of a crash between two steps, or of the last test. A
 * branch with our prefix that somebody else created stays, and is logged once.
 */
export class BranchSweeper {
  readonly #directory: Directory;
  readonly #prefixes: BranchPrefixes;
  readonly #own: OwnBranches;
  readonly #clock: Clock;
  readonly #log: Logger;
  /**
   * By queue id: the time of the last sweep, and the queue's event number at that time; null if the sweep
   * found something.
   */
  readonly #swept = new Map<string, { at: number; seq: number | null }>();
  readonly #named = new Set<string>();

  constructor(directory: Directory, prefixes: BranchPrefixes, own: OwnBranches, clock: Clock, log: Logger) {
    this.#directory = directory;
    this.#prefixes = prefixes;
    this.#own = own;
    this.#clock = clock;
    this.#log = log;
  }

  /** Sweeps when the queue has become idle since the last time, or after a while. */
  async sweep(queue: QueueRecord, state: QueueState): Promise<void> {
    const last = this.#swept.get(queue.id);
    const now = this.#clock.now();
    const idle = state.entries.size === 0 && state.seq !== last?.seq;
    if (!idle && last && now - last.at < sweepEveryMs) return;
    const { seq } = state;
    const repo = installed(queue);
    let removed = 0;
    for (const prefix of new Set([this.#prefixes.test, this.#prefixes.scratch]))
      for (const branch of await this.#directory.codeHost.listBranches(repo, prefix))
        if (await this.#sweepBranch(queue, branch)) removed += 1;
    // A failed sweep is repeated. While the queue is idle, so is a sweep that found something, because the
    // listing may lag and be incomplete. A busy queue creates such branches all the time.
    this.#swept.set(queue.id, { at: now, seq: removed === 0 ? seq : null });
  }

  /**
   * Removes a branch that is not needed, and returns whether it did. Its state is looked up now, because a
   * run may have started since the listing. Any queue of the repository may need the branch.
   */
  async #sweepBranch(queue: QueueRecord, branch: string): Promise<boolean> {
    const state = await this.#own.stateOf(branch, await this.#directory.ofRepository(queue.repo));
    if (state === "not_ours") this.#name(queue, branch);
    if (state === "in_use" || state === "not_ours") return false;
    this.#log.info({ branch, queueId: queue.id }, "removing a branch that no test run needs");
    await this.#directory.codeHost.removeBranch(installed(queue), branch);
    return true;
  }

  #name({ repo }: QueueRecord, branch: string): void {
    const repository = `${repo.owner}/${repo.name}`;
    const key = `${repository}:${branch}`;
    if (this.#named.has(key)) return;
    this.#named.add(key);
    this.#log.warn(
      { code: "BRANCH_NOT_OURS", repository, branch },
      "a branch has a name that is reserved for Trainyard, and is not of its making; it is left alone. Rename it",
    );
  }
}
