import type { QueueState } from "../engine/model/queue.ts";
import type { QueueRecord } from "../ports/queue-store.ts";
import type { Clock, Logger } from "../ports/runtime.ts";
import { type Directory, installed } from "./directory.ts";
import type { BranchPrefixes, OwnBranches } from "./own-branches.ts";

/** Even if nothing suggests that branches were left behind, they are looked for this often. */
const sweepEveryMs = 30 * 60_000;

/**
 * Removes branches of ours on which no run stands: left by a crash between two steps, or by the last test. What somebody else has
 * made below our prefixes is left alone, and named in the log once.
 */
export class BranchSweeper {
  readonly #directory: Directory;
  readonly #prefixes: BranchPrefixes;
  readonly #own: OwnBranches;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By queue: when it was last swept, and the event that it was at; null if something was found. */
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
    // A sweep that fails is done again. So is one that found something, while the queue is idle: the listing may lag, and show only a
    // part. A busy queue makes such branches all the time.
    this.#swept.set(queue.id, { at: now, seq: removed === 0 ? seq : null });
  }

  /**
   * Removes a branch that is not needed; whether it was one. Looked up now, because a run may have started since the listing. Any
   * queue of the repository may need it.
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
