import type { QueueState } from "../engine/queue.ts";
import type { QueueRecord } from "../ports/queue-store.ts";
import type { Clock, Logger } from "../ports/runtime.ts";
import { type Directory, installed } from "./directory.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

/** How the names of our branches begin. */
export interface BranchPrefixes {
  /** CI listens to these. */
  readonly test: string;
  /** Test commits are made on these, to which nothing listens. */
  readonly scratch: string;
}

/** Even if nothing suggests that branches were left behind, they are looked for this often. */
const sweepEveryMs = 30 * 60_000;

/** Removes branches of ours on which no run stands: left by a crash between two steps, or by the last test. */
export class BranchSweeper {
  readonly #runtime: QueueRuntime;
  readonly #directory: Directory;
  readonly #prefixes: BranchPrefixes;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By queue: when it was last swept, and the event that it was at. */
  readonly #swept = new Map<string, { at: number; seq: number }>();

  constructor(
    runtime: QueueRuntime,
    directory: Directory,
    prefixes: BranchPrefixes,
    clock: Clock,
    log: Logger,
  ) {
    this.#runtime = runtime;
    this.#directory = directory;
    this.#prefixes = prefixes;
    this.#clock = clock;
    this.#log = log;
  }

  /** Sweeps when the queue has become idle since the last time, or after a while. */
  async sweep(queue: QueueRecord, state: QueueState): Promise<void> {
    const last = this.#swept.get(queue.id);
    const now = this.#clock.now();
    const idle = state.entries.size === 0 && state.seq !== last?.seq;
    if (!idle && last && now - last.at < sweepEveryMs) return;
    this.#swept.set(queue.id, { at: now, seq: state.seq });
    const repo = installed(queue);
    for (const prefix of [this.#prefixes.test, this.#prefixes.scratch]) {
      for (const branch of await this.#directory.codeHost.listBranches(repo, prefix)) {
        if (await this.#isInUse(queue, branch)) continue;
        this.#log.info({ branch, queueId: queue.id }, "removing a branch that no test run needs");
        await this.#directory.codeHost.removeBranch(repo, branch);
      }
    }
  }

  /** Any queue of the repository may need it; looked up now, because a run may have started since the listing. */
  async #isInUse(queue: QueueRecord, branch: string): Promise<boolean> {
    for (const other of await this.#directory.ofRepository(queue.repo)) {
      const { runs } = await this.#runtime.state(other.id);
      if ([...runs.keys()].some((id) => branch.endsWith(id))) return true;
      const building = [...runs.values()].some((run) => run.state === "building");
      if (building && branch.startsWith(this.#prefixes.scratch)) return true;
    }
    return false;
  }
}
