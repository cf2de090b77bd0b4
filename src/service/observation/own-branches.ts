import { allRuns, findRun, type QueueState } from "../../engine/model/queue.ts";
import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { installed } from "../runtime/directory.ts";
import type { QueueContext } from "./queue-context.ts";

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

/** The branch on which a merge shows only whether it works. It is created only if the scratch branch changed meanwhile. */
export function probeOf(scratch: string): string {
  return `${scratch}+probe`;
}

/** `in_use` and `left_behind` branches are ours. */
export type BranchState = "in_use" | "left_behind" | "not_ours";

/** Distinguishes branches that this service created from other branches with the same prefixes. */
export class OwnBranches {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /** Judged by the current state of the repository's queues. */
  async stateOf(branch: string, queues: readonly QueueRecord[]): Promise<BranchState> {
    const { branches } = this.#context.settings;
    const isScratch = (name: string) => branch === name || branch === probeOf(name);
    if (queues.some((queue) => scratchBranches(branches, queue.branch).some(isScratch)))
      return (await this.#isBuilding(queues)) ? "in_use" : "left_behind";
    const [, runId = ""] = /\/([^/]+)$/.exec(branch) ?? [];
    for (const { id } of queues) {
      const live = findRun(await this.#context.runtime.state(id), runId);
      const run = live ?? (await this.#context.stores.queues.findRun(id, runId))?.run;
      const name = run && (run.branch ?? testBranchName(this.#context.settings.branches.test, run));
      if (name === branch) return live ? "in_use" : "left_behind";
    }
    return "not_ours";
  }

  async #isBuilding(queues: readonly QueueRecord[]): Promise<boolean> {
    for (const { id } of queues) {
      const runs = [...allRuns(await this.#context.runtime.state(id))];
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
  readonly #context: QueueContext;
  readonly #own: OwnBranches;
  /**
   * By queue id: the time of the last sweep, and the queue's event number at that time; null if the sweep
   * found something.
   */
  readonly #swept = new Map<string, { at: number; seq: number | null }>();
  readonly #named = new Set<string>();

  constructor(context: QueueContext) {
    this.#context = context;
    this.#own = new OwnBranches(context);
  }

  /** Sweeps when the queue has become idle since the last time, or after a while. */
  async sweep(queue: QueueRecord, state: QueueState): Promise<void> {
    const last = this.#swept.get(queue.id);
    const now = this.#context.clock.now();
    const idle = state.entries.size === 0 && state.seq !== last?.seq;
    if (!idle && last && now - last.at < sweepEveryMs) return;
    const { seq } = state;
    const repo = installed(queue);
    let removed = 0;
    for (const prefix of new Set([
      this.#context.settings.branches.test,
      this.#context.settings.branches.scratch,
    ]))
      for (const branch of await this.#context.directory.codeHost.listBranches(repo, prefix))
        if (await this.#sweepBranch(queue, branch)) removed += 1;
    // A failed sweep is repeated. In an idle queue, a sweep that found something is repeated, too, because the listing may lag and be
    // incomplete. In a busy queue it is not, because such branches appear all the time.
    this.#swept.set(queue.id, { at: now, seq: removed === 0 ? seq : null });
  }

  /**
   * Removes a branch that is not needed, and returns whether it did. Its state is looked up now, because a
   * run may have started since the listing. Any queue of the repository may need the branch.
   */
  async #sweepBranch(queue: QueueRecord, branch: string): Promise<boolean> {
    const state = await this.#own.stateOf(branch, await this.#context.directory.ofRepository(queue.repo));
    if (state === "not_ours") this.#name(queue, branch);
    if (state === "in_use" || state === "not_ours") return false;
    this.#context.log.info({ branch, queueId: queue.id }, "removing a branch that no test run needs");
    await this.#context.directory.codeHost.removeBranch(installed(queue), branch);
    return true;
  }

  #name({ repo }: QueueRecord, branch: string): void {
    const repository = `${repo.owner}/${repo.name}`;
    const key = `${repository}:${branch}`;
    if (this.#named.has(key)) return;
    this.#named.add(key);
    this.#context.log.warn(
      { code: "BRANCH_NOT_OURS", repository, branch },
      "a branch has a name that is reserved for Trainyard, and is not of its making; it is left alone. Rename it",
    );
  }
}
