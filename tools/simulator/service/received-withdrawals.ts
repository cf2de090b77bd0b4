import type { MergeGate, MergePlan } from "../../../src/ports/code-host/merging.ts";
import type { ServicePlan } from "./service-plan.ts";
import { submitLabel, type VirtualComments } from "./virtual-pull-requests.ts";
import type { VirtualWebhook } from "./virtual-server.ts";

const [cancel, pause, resume] = ["/trainyard cancel", "/trainyard pause", "/trainyard resume"];

interface Payload {
  readonly action?: string;
  readonly comment?: { readonly id: number; readonly body: string };
  readonly review?: { readonly body: string } | null;
  readonly issue?: { readonly number: number };
  readonly pull_request?: { readonly number: number };
  readonly label?: { readonly name: string };
}

/** Finds pull requests that merged by a call before which the service had received their final withdrawal, or a pause of the queue. */
export class ReceivedWithdrawals {
  readonly overtaken: string[] = [];
  /** The pull requests whose authors withdraw them for good, without the API. */
  readonly #final: ReadonlySet<number>;
  readonly #received = new Set<number>();
  readonly #called = new Set<number>();
  readonly #merged = new Set<number>();

  readonly #comments: VirtualComments;
  /** Whether a comment that pauses certainly concerns the queue of `main`. */
  readonly #isPauseKnown: boolean;
  /** The comment with the last received pause; 0 = none. */
  #pause = 0;

  constructor({ pullRequests, upheavals, by, nextQueue }: ServicePlan, comments: VirtualComments) {
    this.#comments = comments;
    // A delivery with a former name of the repository is found only when it is handled.
    const moves = upheavals.some(({ kind }) => kind === "rename" || kind === "transfer");
    const isFinal = ({ withdrawn, ways }: (typeof pullRequests)[number]) =>
      withdrawn?.by === "cancel" && withdrawn.backAt === null && (ways?.cancels ?? by) !== "api";
    this.#final = new Set(moves ? [] : pullRequests.filter(isFinal).map(({ number }) => number));
    const changesBase = pullRequests.some(
      ({ movesAt, withdrawn }) => movesAt !== null || withdrawn?.by === "retarget",
    );
    this.#isPauseKnown = !moves && !changesBase && nextQueue === null;
  }

  get #isPaused(): boolean {
    const isResumed = this.#comments.all().some(({ id, body }) => id > this.#pause && body === resume);
    return this.#pause > 0 && !isResumed;
  }

  note({ name, payload }: VirtualWebhook): void {
    const { action, comment, issue, pull_request: pull, label, review }: Payload = payload;
    if (this.#isPauseKnown && comment?.body === pause) this.#pause = Math.max(this.#pause, comment.id);
    const pr = issue?.number ?? pull?.number ?? 0;
    const isWithdrawal =
      name === "issue_comment"
        ? comment?.body === cancel
        : review?.body === cancel ||
          action === "auto_merge_disabled" ||
          (action === "unlabeled" && label?.name === submitLabel);
    if (isWithdrawal && this.#final.has(pr)) this.#received.add(pr);
  }

  watch({ steps }: MergePlan, gate: MergeGate): MergeGate {
    return {
      call: async (count) => {
        const [received, isPaused] = [new Set(this.#received), this.#isPaused];
        const isCalled = await gate.call(count);
        const runs = new Set(steps.filter(({ pr }) => this.#merged.has(pr)).map(({ runId }) => runId));
        // Steps that were tested together merge together.
        for (const { pr, runId } of isCalled ? steps.slice(0, count) : [])
          if ((isPaused || received.has(pr)) && !runs.has(runId)) this.#called.add(pr);
        return isCalled;
      },
      requested: (pr, id) => gate.requested(pr, id),
      notDone: (count) => gate.notDone(count),
    };
  }

  noteMerged(pr: number): void {
    this.#merged.add(pr);
    if (this.#called.has(pr))
      this.overtaken.push(`#${pr} merged although its withdrawal or a pause had been received`);
  }
}
