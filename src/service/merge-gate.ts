import type { MergeGate } from "../ports/merge-plan.ts";
import type { FreezeWatcher } from "./freeze-watcher.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

/**
 * Has the engine give leave for each call of an ordered merge: one event, written before the call is made. The engine learns
 * before that whether a freeze has begun: a timer may be late, and a service that was just started has none.
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
    await this.#freezes.look(this.#queueId);
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
