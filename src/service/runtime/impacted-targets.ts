import type { QueueState } from "../../engine/model/queue.ts";
import {
  type CountedTargets,
  sameTargets,
  type TargetSource,
  type Targets,
} from "../../engine/model/targets.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { TargetStore } from "../../store/queue/target-store.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

export interface TargetsOfHead {
  readonly pr: number;
  readonly headSha: string;
  readonly source: TargetSource;
  readonly targets: "ALL" | CountedTargets;
  /** The first names of them, for display. */
  readonly names: readonly string[];
}

/** The targets of a head after an upload. */
export interface StoredTargets {
  readonly headSha: string;
  readonly count: number | "ALL";
  /** A more trusted source has already uploaded targets, so this upload was only added to them. */
  readonly isOnlyAdded: boolean;
}

/** The impacted targets of pull request heads. They are stored and reported to the queue. */
export class ImpactedTargets {
  readonly #store: TargetStore;
  readonly #runtime: QueueRuntime;
  readonly #clock: Clock;

  constructor(store: TargetStore, runtime: QueueRuntime, clock: Clock) {
    this.#store = store;
    this.#runtime = runtime;
    this.#clock = clock;
  }

  async upload(
    queue: QueueRecord,
    { pr, headSha, source, names, ...said }: TargetsOfHead,
  ): Promise<StoredTargets> {
    const { targets, count } =
      said.targets === "ALL" ? { targets: said.targets, count: said.targets } : said.targets;
    const upload = { repo: queue.repo, pr, headSha, source, targets, uploadedAt: this.#clock.now() };
    const held = await this.#store.put(upload, { names, total: count });
    await this.#dispatch(queue, pr, headSha, held.targets);
    await this.report(queue, pr, headSha, held.targets);
    if (held.source === source) return { headSha, count, isOnlyAdded: false };
    return { headSha, count: held.targets === "ALL" ? "ALL" : held.targets.size, isOnlyAdded: true };
  }

  /** Null when nothing was uploaded for that head. */
  async read({ repo }: QueueRecord, pr: number, headSha: string): Promise<Targets | null> {
    return (await this.#store.get(repo, pr, headSha))?.targets ?? null;
  }

  /**
   * Reports the stored targets of a head to the queue, unless the queue already has them. Then reads the
   * store again: of two concurrent callers, the one that reported stale targets finds the other's upload.
   * Returns the queue's state after a report, or null when there was nothing to report.
   */
  async report(
    queue: QueueRecord,
    pr: number,
    headSha: string,
    reported: Targets | null,
  ): Promise<QueueState | null> {
    let state: QueueState | null = null;
    for (let known = reported; ; ) {
      const held = await this.read(queue, pr, headSha);
      if (held === null || (known !== null && sameTargets(held, known))) return state;
      state = await this.#dispatch(queue, pr, headSha, held);
      known = held;
    }
  }

  async #dispatch({ id }: QueueRecord, pr: number, headSha: string, targets: Targets): Promise<QueueState> {
    return (await this.#runtime.dispatch(id, { type: "targets_observed", pr, headSha, targets })).state;
  }
}
