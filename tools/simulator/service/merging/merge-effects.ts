import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/readiness.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { MergeMethod } from "../../../../src/engine/model/settings.ts";
import { apiMethods } from "../../../../src/github/merging/async-merge.ts";
import { type CodeHost, numberOf } from "../../soak/code-host.ts";
import { headOf, shaOf } from "../virtual-pull-requests.ts";
import type { VirtualRepository } from "../virtual-repository.ts";
import type { VirtualTime } from "../virtual-time.ts";

interface MergeEffectsParts {
  readonly model: CodeHost;
  readonly repository: VirtualRepository;
  readonly facts: (pr: number) => PullRequestFacts;
  readonly onMerged: (pr: number) => void;
  readonly onBlindMerge: (pr: number) => void;
}

/** Why GitHub does not merge. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface RequestedMerge {
  readonly pr: number;
  readonly headSha: string;
  readonly method: MergeMethod;
  /** The tips that the caller has read, by the names of their branches. */
  readonly seen: ReadonlyMap<string, string>;
  /** See `MergingCalls.approved`. */
  readonly approved: ReadonlySet<number>;
}

const baseModified = "Base branch was modified. Review and try the merge again.";
export const headModified = "Head branch was modified. Review and try the merge again.";

/**
 * What merging calls change in the world. They are refused if the base, the draft state or the reviews have changed since the caller read
 * them. GitHub does not check that. But no client can prevent such a change, so a merge in this situation would show nothing about the
 * service.
 */
export class MergeEffects {
  readonly #parts: MergeEffectsParts;

  constructor(parts: MergeEffectsParts) {
    this.#parts = parts;
  }

  /** The tip of a branch, by its current name; null = there is no such branch. */
  tipOf(name: string): string | null {
    const base = this.#parts.repository.baseNamed(name);
    return base === null ? null : this.#parts.model.tipOf(base);
  }

  /** Moves a base branch to a commit that was built on its tip. Returns the reason of a refusal; null = done. */
  fastForward(name: string, to: string, approved: ReadonlySet<number>): string | null {
    const { model, repository, facts, onMerged, onBlindMerge } = this.#parts;
    const base = repository.baseNamed(name);
    if (base === null) return "Reference does not exist";
    const path = model.pathTo(to, base);
    if (path === null) return "Update is not a fast forward";
    for (const pr of path.map(numberOf)) if (!approved.has(pr)) onBlindMerge(pr);
    const isWithdrawn = (item: string) =>
      withdrawalOf({ headSha: shaOf(item), baseBranch: name }, facts(numberOf(item))) !== null;
    if (path.some(isWithdrawn)) return "Required status check is expected";
    for (const pr of model.fastForward(to, base)) onMerged(pr);
    return null;
  }

  /** Merges a pull request into its base branch. */
  merge({ pr, headSha, method, seen, approved }: RequestedMerge): { readonly sha: string } | Refusal {
    const { model, repository, facts, onMerged, onBlindMerge } = this.#parts;
    const { state, draft, objections, baseBranch, headSha: present } = facts(pr);
    const base = repository.baseNamed(baseBranch);
    if (state !== "open" || base === null) return { status: 405, message: "Pull Request is not mergeable" };
    if (draft) return { status: 405, message: "Pull Request is still a draft" };
    if (present !== headSha) return { status: 409, message: headModified };
    // A request with another head only finds out what an earlier one did, and merges nothing.
    if (!approved.has(pr)) onBlindMerge(pr);
    if (objections.length > 0)
      return {
        status: 405,
        message: "At least 1 approving review is required by reviewers with write access.",
      };
    if (seen.get(baseBranch) !== model.tipOf(base)) return { status: 405, message: baseModified };
    const step = { pr, headSha: headOf(headSha), runId: null, treeSha: "", parentSha: "", commitSha: "" };
    const { sha } = model.merge(step, { method, composed: false }, base);
    onMerged(pr);
    return { sha };
  }
}

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

/** Merges that GitHub carries out later, independent of the caller. At most one is pending for a pull request. */
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
