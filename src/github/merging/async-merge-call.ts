import { setTimeout as sleep } from "node:timers/promises";
import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import { CodeHostError, messageOf, statusOf } from "../client/code-host-error.ts";
import {
  type AsyncMerge,
  type AsyncMergeReply,
  apiMethods,
  readAsyncMerge,
  requestAsyncMerge,
} from "./async-merge.ts";
import { isEffectUnknown, type MergeCall, type MergeCallResult, type PlannedMerge } from "./merge-call.ts";
import { classifyMergeRefusal, classifyRefusalWords, type MergeRefusal } from "./merge-refusal.ts";

type Ended = Exclude<AsyncMerge, { status: "pending" }>;

/**
 * The waits between polls of a request, about ten seconds together. Then the task is postponed, and polls again later. GitHub
 * suggests one poll a second.
 */
const pollWaitsMs = [200, 400, ...Array<number>(9).fill(1_000)];

const busy = (message: string): MergeRefusal => ({ stop: "busy", message });

/**
 * Merges with GitHub's asynchronous API. The id of the request is stored before its result is polled, so that the next process
 * polls the same request. If the response to a request was lost, a second request finds it: GitHub answers with the first one.
 */
export class AsyncMergeCall implements MergeCall {
  readonly #planned: PlannedMerge;
  readonly #step: MergeStep;
  #uuid: string | null;
  /** Whether a call was made whose result is unknown. */
  #isOpen: boolean;

  constructor(planned: PlannedMerge) {
    const { plan, index } = planned;
    this.#planned = planned;
    this.#step = plan.steps[index] as MergeStep;
    this.#uuid = plan.request?.pr === this.#step.pr ? plan.request.id : null;
    // A step is called only after the previous step has merged.
    this.#isOpen = plan.called === index + 1;
  }

  async followUp(): Promise<MergeCallResult | null> {
    if (!this.#isOpen) return null;
    const ended = this.#uuid === null ? null : await this.#untilEnded(this.#uuid);
    return ended === null ? this.#findRequest() : this.#conclude(ended);
  }

  async make(): Promise<MergeCallResult> {
    this.#isOpen = true;
    try {
      return await this.#follow(await this.#request(this.#step.headSha));
    } catch (error) {
      if (isEffectUnknown(error)) throw error;
      // Polls only fail temporarily, so GitHub refused the request itself.
      if (this.#uuid === null) await this.#close();
      return classifyMergeRefusal(error);
    }
  }

  async #request(sha: string): Promise<AsyncMergeReply> {
    try {
      return await requestAsyncMerge(this.#planned, this.#planned.plan.method, this.#step, sha);
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      const message = `GitHub has no asynchronous merge API for this repository (${messageOf(error)})`;
      throw new CodeHostError("denied", message, null, error, "ASYNC_MERGE_UNAVAILABLE");
    }
  }

  async #follow({ answer, isOlder }: AsyncMergeReply): Promise<MergeCallResult> {
    const { pr } = this.#step;
    if (answer.status !== "pending") {
      // The next reading of the base and the pull request shows who merged it, or why it is not ready.
      if (answer.status === "enqueued") return this.#conclude(answer);
      if (answer.status === "failed") await this.#close();
      this.#isOpen = false;
      return busy(answer.status === "merged" ? `#${pr} has merged already` : answer.details.message);
    }
    if (isOlder && !this.#isOurs(answer)) {
      await this.#close();
      return busy(`GitHub carries out another request to merge #${pr}`);
    }
    const { uuid } = answer.details;
    this.#uuid = uuid;
    await this.#planned.gate.requested(pr, uuid);
    const ended = await this.#untilEnded(uuid);
    return ended === null
      ? busy(`GitHub does not know the request to merge #${pr} yet`)
      : this.#conclude(ended);
  }

  /**
   * Finds a request whose id is unknown by asking to merge a head that the pull request cannot have: GitHub answers with the
   * pending request, or the new one fails.
   */
  async #findRequest(): Promise<MergeCallResult | null> {
    const reply = await this.#request(this.#planned.plan.base);
    const { answer, isOlder } = reply;
    if (answer.status === "merged" || (isOlder && this.#isOurs(answer))) return this.#follow(reply);
    if (answer.status === "pending") await this.#untilEnded(answer.details.uuid);
    this.#uuid = null;
    this.#isOpen = false;
    return null;
  }

  #isOurs(answer: AsyncMerge): boolean {
    if (answer.status !== "pending") return false;
    const { expected_head_sha: sha, merge_method: method } = answer.details;
    return sha === this.#step.headSha && method === apiMethods[this.#planned.plan.method];
  }

  /**
   * The result of a request; null: GitHub does not know the request.
   *
   * @throws {CodeHostError} `busy`: the request is still pending
   */
  async #untilEnded(uuid: string): Promise<Ended | null> {
    const { pr } = this.#step;
    for (const wait of [...pollWaitsMs, 0]) {
      const answer = await readAsyncMerge(this.#planned, pr, uuid);
      if (answer?.status !== "pending") return answer;
      await sleep(wait);
    }
    throw new CodeHostError("busy", `GitHub is still merging #${pr} (request ${uuid})`);
  }

  async #conclude(ended: Ended): Promise<MergeCallResult> {
    if (ended.status === "merged") return { sha: ended.details.sha };
    await this.#close();
    const { message } = ended.details;
    if (ended.status === "failed") return classifyRefusalWords(405, message) ?? busy(message);
    return { stop: { kind: "refused", message, cause: "MERGE_QUEUE_REQUIRED" }, message };
  }

  /** The request is over, and has merged nothing. */
  async #close(): Promise<void> {
    this.#uuid = null;
    this.#isOpen = false;
    await this.#planned.gate.notDone(this.#planned.index);
  }
}
