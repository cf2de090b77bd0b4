import type { MergeGate } from "../../ports/code-host/merge-plan.ts";
import type { FreezeWatcher } from "../observation/freeze-watcher.ts";
import type { QueueRuntime } from "../queue/queue-runtime.ts";

/**
 * Asks the engine for permission for each call of an ordered merge. The permission is one event, stored
 * before the call is made. Before that, the engine is updated about freezes, because a timer may be late, and
 * a newly started service has none. While it is unknown whether there is one, nothing merges.
 */
export class DurableMergeGate implements MergeGate {
  readonly #runtime: QueueRuntime;
  readonly #freezes: Pick<FreezeWatcher, "look">;
  readonly #queueId: string;
  readonly #attemptId: string;

  constructor(
    runtime: QueueRuntime,
    freezes: Pick<FreezeWatcher, "look">,
    queueId: string,
    attemptId: string,
  ) {
    this.#runtime = runtime;
    this.#freezes = freezes;
    this.#queueId = queueId;
    this.#attemptId = attemptId;
  }

  async call(steps: number): Promise<boolean> {
    const attemptId = this.#attemptId;
    const unknown = await this.#freezes.look(this.#queueId);
    if (unknown) throw unknown;
    const { state } = await this.#runtime.dispatch(this.#queueId, {
      type: "merge_calling",
      attemptId,
      steps,
    });
    return state.merge?.id === attemptId && (state.merge.called ?? 0) >= steps;
  }

  async requested(pr: number, id: string): Promise<void> {
    const attemptId = this.#attemptId;
    await this.#runtime.dispatch(this.#queueId, { type: "merge_requested", attemptId, pr, id });
  }

  async notDone(steps: number): Promise<void> {
    const attemptId = this.#attemptId;
    await this.#runtime.dispatch(this.#queueId, { type: "merge_not_done", attemptId, steps });
  }
}
