import type { MergeGate } from "../ports/merge-plan.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

/** Has the engine give leave for each call of an ordered merge: one event, written before the call is made. */
export class DurableMergeGate implements MergeGate {
  readonly #runtime: QueueRuntime;
  readonly #queueId: string;
  readonly #attemptId: string;

  constructor(runtime: QueueRuntime, queueId: string, attemptId: string) {
    this.#runtime = runtime;
    this.#queueId = queueId;
    this.#attemptId = attemptId;
  }

  async call(steps: number): Promise<boolean> {
    const attemptId = this.#attemptId;
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
