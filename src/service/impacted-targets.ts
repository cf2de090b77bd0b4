import type { TargetSource } from "../engine/model/target-claim.ts";
import { type CountedTargets, sameTargets, type Targets } from "../engine/model/targets.ts";
import type { QueueRecord } from "../ports/queue-store.ts";
import type { Clock } from "../ports/runtime.ts";
import type { TargetStore } from "../ports/target-store.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

export interface TargetsOfHead {
  readonly pr: number;
  readonly headSha: string;
  readonly source: TargetSource;
  readonly targets: "ALL" | CountedTargets;
  /** The first names of them, to be shown. */
  readonly names: readonly string[];
}

/** What holds of a head after an upload. */
export interface StoredTargets {
  readonly count: number | "ALL";
  /** Somebody who is trusted more has said what the head impacts: the upload was only added to that. */
  readonly isOnlyAdded: boolean;
}

/** What the heads of pull requests impact: kept in the store, and told to their queue. */
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
    await this.tell(queue, pr, headSha, held.targets);
    if (held.source === source) return { count, isOnlyAdded: false };
    return { count: held.targets === "ALL" ? "ALL" : held.targets.size, isOnlyAdded: true };
  }

  /** Null: nobody has said anything of that head. */
  async read({ repo }: QueueRecord, pr: number, headSha: string): Promise<Targets | null> {
    return (await this.#store.get(repo, pr, headSha))?.targets ?? null;
  }

  /**
   * Tells the queue what holds of a head, unless that is what it has been told. Whoever tells it looks at the store again
   * afterwards: of two that tell it at once, the one whose news were old finds the other's.
   */
  async tell(queue: QueueRecord, pr: number, headSha: string, told: Targets | null): Promise<void> {
    for (let known = told; ; ) {
      const held = await this.read(queue, pr, headSha);
      if (held === null || (known !== null && sameTargets(held, known))) return;
      await this.#dispatch(queue, pr, headSha, held);
      known = held;
    }
  }

  async #dispatch({ id }: QueueRecord, pr: number, headSha: string, targets: Targets): Promise<void> {
    await this.#runtime.dispatch(id, { type: "targets_observed", pr, headSha, targets });
  }
}
