import type { QueueState } from "../../engine/model/queue.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { MergeGate } from "../../ports/code-host/merging.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { InputPending, type PendingInput } from "./pending-input.ts";
import type { Submissions } from "./submissions.ts";

export interface GatedMerge {
  readonly queueId: string;
  readonly attemptId: string;
  readonly repo: InstalledRepository;
  /** The label that submits; null when none does. */
  readonly label: string | null;
}

/**
 * Asks the engine for permission for each call of an ordered merge. The permission is one event, stored before the call is made. Before
 * that, three things are read and reported to the engine: freezes, because a timer may be late or not started; the required checks, which
 * may have changed since the tests; and withdrawn submissions, whose webhooks may be lost. While one of these is unknown, nothing merges.
 */
export class DurableMergeGate implements MergeGate {
  readonly #context: ObservationContext;
  readonly #input: PendingInput;
  readonly #submissions: Submissions;
  readonly #merge: GatedMerge;
  /** Why something could not be read, so that nothing was called. It says nothing about the pull requests. */
  unread: unknown = null;

  constructor(context: ObservationContext, input: PendingInput, submissions: Submissions, merge: GatedMerge) {
    this.#context = context;
    this.#input = input;
    this.#submissions = submissions;
    this.#merge = merge;
  }

  /**
   * Hazard: the process may be suspended at any time. The inbox is therefore read after the permission is stored, because commands that are
   * handled from then on wait for the outcome.
   *
   * @throws InputPending when input that was received before must be handled first
   */
  async call(steps: number): Promise<boolean> {
    const { runtime } = this.#context;
    const { queueId, attemptId, label } = this.#merge;
    await this.#look(steps);
    const before = await runtime.state(queueId);
    const { state } = await runtime.dispatch(queueId, { type: "merge_calling", attemptId, steps });
    if (state.merge?.id !== attemptId || (state.merge.called ?? 0) < steps) return false;
    const held = await this.#input.findHeld(before, this.#stepsOf(before, steps), label);
    if (held === null) return true;
    await this.notDone(before.merge?.called ?? 0);
    throw new InputPending(held);
  }

  async #look(steps: number): Promise<void> {
    const { runtime, freezes, requirements } = this.#context;
    const { queueId } = this.#merge;
    try {
      // The current freeze is taken from the file that was just read for the requirements.
      await requirements.look(queueId);
      const unknown = await freezes.look(queueId);
      if (unknown) throw unknown;
      await this.#lookAtSubmissions(await runtime.state(queueId), steps);
    } catch (error) {
      this.unread = error;
      throw error;
    }
  }

  async requested(pr: number, id: string): Promise<void> {
    const { queueId, attemptId } = this.#merge;
    await this.#context.runtime.dispatch(queueId, { type: "merge_requested", attemptId, pr, id });
  }

  async notDone(steps: number): Promise<void> {
    const { queueId, attemptId } = this.#merge;
    await this.#context.runtime.dispatch(queueId, { type: "merge_not_done", attemptId, steps });
  }

  /** Removes the pull requests whose submission was taken back. */
  async #lookAtSubmissions(state: QueueState, steps: number): Promise<void> {
    const { runtime } = this.#context;
    const { queueId, repo, label } = this.#merge;
    const prs = this.#stepsOf(state, steps).map(({ pr }) => pr);
    for (const { pr, actor, via } of await this.#submissions.findTakenBack(repo, state, prs, label))
      await runtime.dispatch(queueId, { type: "cancel", pr, actor, via });
  }

  /**
   * Returns the first steps, and the rest of the last one's run: once GitHub is asked to merge a part of a run, no member can be removed.
   */
  #stepsOf({ merge }: QueueState, count: number) {
    if (merge?.id !== this.#merge.attemptId) return [];
    const last = merge.steps[count - 1]?.runId;
    return merge.steps.filter(({ runId }, index) => index < count || runId === last);
  }
}
