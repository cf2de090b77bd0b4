import { apiMethods } from "../../../../src/github/merging/async-merge.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { headModified, type MergeEffects, type RequestedMerge } from "./merge-effects.ts";

interface AsyncMerge {
  readonly id: string;
  readonly request: RequestedMerge;
  /** Null = it is pending. */
  result: { readonly status: "merged" | "failed"; readonly details: object } | null;
}

/** What GitHub answers to a request, and to each poll. */
interface AsyncMergeReply {
  readonly status: number;
  readonly data: object;
}

/** Merges that GitHub carries out later, whatever has become of the caller. At most one is pending for a pull request. */
export class AsyncMerges {
  readonly #effects: MergeEffects;
  readonly #time: VirtualTime;
  readonly #drawMs: () => number;
  readonly #known = new Map<string, AsyncMerge>();

  /** @param drawMs how long GitHub takes, in milliseconds */
  constructor(effects: MergeEffects, time: VirtualTime, drawMs: () => number) {
    this.#effects = effects;
    this.#time = time;
    this.#drawMs = drawMs;
  }

  request(request: RequestedMerge, { state, draft, mergedSha }: Present): AsyncMergeReply {
    if (state === "merged") return { status: 200, data: { status: "merged", details: { sha: mergedSha } } };
    const pending = [...this.#known.values()].find((one) => !one.result && one.request.pr === request.pr);
    if (pending) return { status: 409, data: pendingReply(pending) };
    if (state !== "open" || draft) {
      const message = draft ? "Pull request is a draft." : "Pull request is closed.";
      return { status: 400, data: { status: "failed", details: { message } } };
    }
    const merge: AsyncMerge = { id: `merge-${this.#known.size + 1}`, request, result: null };
    this.#known.set(merge.id, merge);
    this.#time.after(this.#drawMs(), () => this.#run(merge));
    return { status: 202, data: pendingReply(merge) };
  }

  /** The state of a request; null = GitHub does not know it. */
  poll(id: string): object | null {
    const merge = this.#known.get(id);
    return merge ? (merge.result ?? pendingReply(merge)) : null;
  }

  #run(merge: AsyncMerge): void {
    const done = this.#effects.merge(merge.request);
    merge.result =
      "sha" in done
        ? { status: "merged", details: { sha: done.sha } }
        : { status: "failed", details: { message: done.status === 409 ? headModified : done.message } };
  }
}

interface Present {
  readonly state: string;
  readonly draft: boolean;
  readonly mergedSha: string | null;
}

function pendingReply({ id, request }: AsyncMerge): object {
  const { headSha: expected_head_sha, method } = request;
  const details = { uuid: id, expected_head_sha, merge_method: apiMethods[method] };
  return { status: "pending", details };
}
