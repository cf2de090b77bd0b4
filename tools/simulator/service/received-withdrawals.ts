import type { MergeGate, MergePlan } from "../../../src/ports/code-host/merge-plan.ts";
import type { ServicePlan } from "./service-plan.ts";
import { submitLabel } from "./virtual-labels.ts";
import type { VirtualWebhook } from "./virtual-server.ts";

interface Payload {
  readonly action?: string;
  readonly comment?: { readonly body: string };
  readonly issue?: { readonly number: number };
  readonly pull_request?: { readonly number: number };
  readonly label?: { readonly name: string };
}

/** Notes which pull requests merged by a call before which the service had received that their author withdraws them for good. */
export class ReceivedWithdrawals {
  readonly overtaken: string[] = [];
  /** The pull requests whose authors withdraw them for good, and not by the API. */
  readonly #final: ReadonlySet<number>;
  readonly #received = new Set<number>();
  readonly #called = new Set<number>();
  readonly #merged = new Set<number>();

  constructor({ pullRequests, upheavals, by }: ServicePlan) {
    // A delivery that names the repository as it was called before is not found before it is handled.
    const moves = upheavals.some(({ kind }) => kind === "rename" || kind === "transfer");
    const isFinal = ({ withdrawn, ways }: (typeof pullRequests)[number]) =>
      withdrawn?.by === "cancel" && withdrawn.backAt === null && (ways?.cancels ?? by) !== "api";
    this.#final = new Set(moves ? [] : pullRequests.filter(isFinal).map(({ number }) => number));
  }

  note({ name, payload }: VirtualWebhook): void {
    const { action, comment, issue, pull_request: pull, label }: Payload = payload;
    const pr = issue?.number ?? pull?.number ?? 0;
    const isWithdrawal =
      name === "issue_comment"
        ? comment?.body === "/trainyard cancel"
        : action === "auto_merge_disabled" || (action === "unlabeled" && label?.name === submitLabel);
    if (isWithdrawal && this.#final.has(pr)) this.#received.add(pr);
  }

  watch({ steps }: MergePlan, gate: MergeGate): MergeGate {
    return {
      call: async (count) => {
        const received = new Set(this.#received);
        const isCalled = await gate.call(count);
        const runs = new Set(steps.filter(({ pr }) => this.#merged.has(pr)).map(({ runId }) => runId));
        // Steps that were tested together merge together.
        for (const { pr, runId } of isCalled ? steps.slice(0, count) : [])
          if (received.has(pr) && !runs.has(runId)) this.#called.add(pr);
        return isCalled;
      },
      requested: (pr, id) => gate.requested(pr, id),
      notDone: (count) => gate.notDone(count),
    };
  }

  noteMerged(pr: number): void {
    this.#merged.add(pr);
    if (this.#called.has(pr)) this.overtaken.push(`#${pr} merged although its withdrawal had been received`);
  }
}
