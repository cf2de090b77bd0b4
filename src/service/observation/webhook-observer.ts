import { isMergeCalled } from "../../engine/lifecycle/merging/ordered-merge.ts";
import { dependentsOf } from "../../engine/lifecycle/submission/readiness.ts";
import { remainingAhead } from "../../engine/model/order/dependencies.ts";
import type { LineEntry } from "../../engine/model/order/line.ts";
import { baseTip, type QueueState, type RepositoryRef } from "../../engine/model/queue.ts";
import { installed } from "../runtime/directory.ts";
import { observeTask } from "../runtime/plan-tasks.ts";
import type { QueueContext } from "./queue-context.ts";
import type { Readings } from "./readings.ts";
import type { RepositoryAccess } from "./repository-access.ts";

/** A pull request as a webhook's payload describes it. It may be late or out of order. */
export interface PullRequestHint {
  readonly repo: RepositoryRef;
  readonly number: number;
  readonly headSha: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly open: boolean;
  readonly draft: boolean;
  /** When it was last changed, by the code host's clock. */
  readonly updatedAt: number;
  /**
   * The latest time at which it got this head, by the code host's clock; null when the hint is not about
   * that.
   */
  readonly headSince: number | null;
  /**
   * The hint is about a review, a conversation or the description. The payload does not contain its
   * consequences.
   */
  readonly reviewed: boolean;
}

/** Turns hints into fresh readings where they could matter to a queue, and ignores the others. */
export class WebhookObserver {
  readonly #context: QueueContext;
  readonly #readings: Readings;
  readonly #reach: RepositoryAccess;

  constructor(context: QueueContext, readings: Readings, reach: RepositoryAccess) {
    this.#context = context;
    this.#readings = readings;
    this.#reach = reach;
  }

  async pullRequestChanged(hint: PullRequestHint): Promise<void> {
    const { directory, runtime, stores, outbox, clock } = this.#context;
    const { repo, number, headSha, headSince, updatedAt: changedAt } = hint;
    this.#readings.pulls.note(repo, number, changedAt);
    this.#context.replicas.broadcast({ kind: "pull_request", repo, pr: number, changedAt });
    if (headSince !== null) await stores.heads.record(repo, number, { sha: headSha, at: headSince });
    for (const queue of await directory.ofRepository(repo)) {
      const state = await runtime.state(queue.id);
      // Read the entries that wait for this pull request: its new state is shown at once, and they may
      // continue.
      for (const { pr } of dependentsOf(state, number))
        await outbox.add(observeTask(queue.id, pr, clock.now()));
      if (state.tries.has(number)) await outbox.add(observeTask(queue.id, number, clock.now()));
      const entry = state.entries.get(number);
      // Our own merge closes the pull request. The outcome of the merge is reported by the merge itself.
      if (!entry || isMergeCalled(state, number)) continue;
      const unchanged =
        !hint.reviewed &&
        hint.open &&
        headSha === entry.headSha &&
        hint.baseBranch === entry.baseBranch &&
        hint.title === entry.title &&
        !hint.draft;
      if (!unchanged || entry.state === "not_ready")
        await outbox.add(observeTask(queue.id, number, clock.now()));
    }
  }

  /** Wakes the merges of a repository that wait until received input is handled. */
  async inputHandled(repo: RepositoryRef): Promise<void> {
    const { directory, runtime, outbox, clock } = this.#context;
    for (const { id } of await directory.ofRepository(repo)) {
      const { waits } = await runtime.state(id);
      if (waits.merge?.code === "COMMAND_PENDING") await outbox.hasten([`merge/${id}`], clock.now());
    }
  }

  async branchPushed(push: {
    repo: RepositoryRef;
    branch: string;
    sha: string;
    forced: boolean;
  }): Promise<void> {
    const { directory, runtime, replicas } = this.#context;
    const found = await directory.find({ repo: push.repo, branch: push.branch });
    if (!found.ok) return;
    const { id } = found.value;
    const isGone = /^0+$/.test(push.sha);
    // The queue may have waited for this branch to be created again.
    if (isGone || (await this.#reach.isObstructed(id))) await this.#reach.check(id, { told: isGone });
    const state = await runtime.state(found.value.id);
    if (push.forced) {
      this.#readings.bases.noteForcedPush(id, push.sha);
      replicas.broadcast({ kind: "forced_push", queueId: id, sha: push.sha });
    }
    // Our own merges also arrive as pushes.
    const isOurs = !push.forced && state.base.some(({ sha }) => sha === push.sha);
    if (isOurs || state.merge) return;
    await this.readBase(id, { fresh: true });
  }

  /**
   * Reads the current base. Returns whether it had moved.
   *
   * @param fresh something reported a move, so the code host must not answer from a stale reading
   */
  async readBase(queueId: string, { fresh = false } = {}): Promise<boolean> {
    const { directory, runtime, clock } = this.#context;
    const queue = await directory.get(queueId);
    const { seq: asOfSeq } = await runtime.state(queueId);
    const askedAt = clock.now();
    const sha = await directory.codeHost.branchTip(installed(queue), queue.branch, fresh);
    if (sha === null) await this.#reach.suspect(queueId);
    if (sha === null) return false;
    const state = await runtime.state(queueId);
    if (sha === baseTip(state)) {
      this.#readings.bases.confirm(queueId);
      return false;
    }
    if (await this.#readings.bases.isOlder(state, { sha, askedAt })) return false;
    if (await this.#reportMerged(state)) {
      await this.readBase(queueId, { fresh });
      return true;
    }
    // GitHub shows a pull request as merged a little after the push that merges it, and sends a webhook. If that webhook is lost, the next
    // round of the reconciler reports the base.
    if (fresh && (await this.#isTestedNext(state, sha))) return false;
    const { events } = await runtime.dispatch(queueId, { type: "base_observed", sha, asOfSeq });
    return events.length > 0;
  }

  /**
   * Reports which of the pull requests that would merge next somebody else has merged. They are reported before the new base: if a merge
   * has the tested tree, it explains the base, and the tests that contain it remain valid. Returns whether there was one.
   */
  async #reportMerged(state: QueueState): Promise<boolean> {
    const { directory, runtime } = this.#context;
    const repo = installed(await directory.get(state.id));
    const next = state.merge ? [] : nextToMerge(state);
    const read = await Promise.all(
      next.map(({ entry }) => directory.codeHost.readPullRequest(repo, entry.pr)),
    );
    let isNews = false;
    for (const pullRequest of read) {
      if (pullRequest?.state !== "merged") continue;
      const { events } = await runtime.dispatch(state.id, { type: "pull_request_observed", pullRequest });
      isNews ||= events.length > 0;
    }
    return isNews;
  }

  /** Whether a commit has the tree of a pull request that would merge next. */
  async #isTestedNext(state: QueueState, sha: string): Promise<boolean> {
    const { directory } = this.#context;
    const commits = nextToMerge(state).flatMap(({ run }) => run?.commits ?? []);
    if (commits.length === 0) return false;
    const tree = await directory.codeHost.treeOf(installed(await directory.get(state.id)), sha);
    return commits.some(({ treeSha }) => treeSha === tree);
  }
}

/** The entries whose tests are directly on top of the base. */
function nextToMerge(state: QueueState): readonly LineEntry[] {
  return state.line.entries.filter(({ run }) => run && remainingAhead(state, run)?.length === 0);
}
