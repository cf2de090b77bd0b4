import type { Entry } from "../../engine/model/entry.ts";
import { isBeingMerged } from "../../engine/model/order/dependencies.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { ListedPullRequest } from "../../ports/code-host/pull-requests.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { recoveredStep } from "../metrics/recovered.ts";
import { installed } from "../runtime/directory.ts";
import { observeTask, publishTask } from "../runtime/plan-tasks.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";
import { messageOf } from "../workers/retry.ts";
import type { ObservationContext } from "./observation-context.ts";
import { BranchSweeper } from "./own-branches.ts";

/** The maximum number of unready entries to read again in one round, in rotation. */
const maxUnreadyPerRound = 20;

/** The number of entries to check for reviewers' objections in one round: as many as one call can read. */
const reviewedPerRound = 50;

/**
 * How often the shown results of ended entries are repaired, how far back, and the maximum number of entries.
 */
const repairEveryMs = 10 * 60_000;
const repairedMs = 2 * 60 * 60_000;
const maxRepaired = 200;

/**
 * Reads what webhooks would report. If every webhook is lost, the queue advances at the pace of these rounds.
 * Rounds do not overlap. A failed round is logged, and the next one starts from the beginning.
 */
export class Reconciler {
  readonly #context: ObservationContext;
  readonly #sweeper: BranchSweeper;
  /** By queue id: the last entry that was checked for objections. The next round continues after it. */
  readonly #reviewed = new Map<string, number>();
  /** By queue id: the last unready entry that was read again. */
  readonly #reread = new Map<string, number>();
  /** By queue id: when its shown results were last repaired. */
  readonly #repaired = new Map<string, number>();
  readonly #rounds: PeriodicTask;
  /**
   * True until this process has reconciled all queues once. Webhooks from before its start may have been
   * missed.
   */
  #isFirstRound = true;

  constructor(context: ObservationContext) {
    this.#context = context;
    this.#sweeper = new BranchSweeper(context);
    this.#rounds = new PeriodicTask({
      run: () => this.#reconcileAll(),
      everyMs: context.settings.reconcileMs,
      purpose: "list the queues to reconcile",
      log: context.log,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #reconcileAll(): Promise<void> {
    const { directory } = this.#context;
    for (const queue of await directory.list()) {
      await this.#reconcile(queue).catch((error: unknown) => this.#failed(queue, "reconcile", error));
    }
    this.#isFirstRound = false;
  }

  async #failed({ id: queueId }: QueueRecord, what: string, error: unknown): Promise<void> {
    this.#context.log.warn({ err: error, queueId }, `could not ${what}: ${messageOf(error)}`);
    await this.#context.reach.suspectFailure(queueId, error);
  }

  async #reconcile({ id }: QueueRecord): Promise<void> {
    const { runtime, relay, watcher, reach, directory, stores, settings } = this.#context;
    if (!(await reach.checkDue(await directory.get(id)))) return;
    const queue = await directory.get(id);
    const state = await runtime.state(queue.id);
    // A branch that cannot be removed, or rules that cannot be read, must not keep the rest from being read.
    await this.#sweeper
      .sweep(queue, state)
      .catch((error: unknown) => this.#failed(queue, "remove unneeded branches", error));
    await this.#repairPublications(queue);
    const { freezes, requirements } = this.#context;
    if (state.entries.size > 0 || !freezes.hasLooked(queue.id)) await freezes.look(queue.id);
    if (state.entries.size + state.tries.size === 0) return;
    if (state.runs.size + state.tries.size > 0)
      await requirements
        .look(queue.id)
        .catch((error: unknown) => this.#failed(queue, "read the required checks", error));
    const moved = await relay.readBase(queue.id);
    const learned = await watcher.readOverdue(state, this.#isFirstRound ? 0 : settings.reconcileMs);
    const listed = await directory.codeHost.listOpenPullRequests(installed(queue), queue.branch);
    const contradicted = await this.#compare(state, new Map(listed.map((pr) => [pr.number, pr])));
    const objectedTo = await this.#readReviews(queue, state);
    const { owner } = queue.repo;
    const found = [
      recoveredStep(owner, "base", moved ? 1 : 0),
      recoveredStep(owner, "checks", learned),
      recoveredStep(owner, "pull_request", contradicted + objectedTo),
    ].filter(({ by }) => by > 0);
    if (found.length > 0) await stores.meters.add(found);
  }

  /**
   * Schedules a reading of entries to which reviewers object now, because no listing shows that. Returns how
   * many there are.
   */
  async #readReviews(queue: QueueRecord, state: QueueState): Promise<number> {
    const { directory, outbox, clock, runtime } = this.#context;
    const ready = [...state.entries.values()].filter((entry) => entry.state !== "not_ready");
    const last = this.#reviewed.get(queue.id) ?? 0;
    const looked = nextInTurn(
      ready.map(({ pr }) => pr),
      last,
      reviewedPerRound,
    );
    if (looked.length === 0) return 0;
    const objectedTo = await directory.codeHost.listObjectedTo(installed(queue), looked);
    this.#reviewed.set(queue.id, looked.at(-1) ?? 0);
    const { entries } = await runtime.state(queue.id);
    for (const pr of objectedTo) await outbox.add(observeTask(queue.id, pr, clock.now()));
    return objectedTo.filter((pr) => entries.has(pr) && entries.get(pr)?.state !== "not_ready").length;
  }

  /** Publishes recently ended entries again. Content that is shown already costs no call. */
  async #repairPublications({ id, repo }: QueueRecord): Promise<void> {
    const { stores, outbox, clock } = this.#context;
    const now = clock.now();
    if (now - (this.#repaired.get(id) ?? 0) < repairEveryMs) return;
    this.#repaired.set(id, now);
    for (const { pr } of await stores.queues.endedEntries(id, now - repairedMs, maxRepaired))
      await outbox.add(publishTask(repo, pr, now));
  }

  /**
   * Schedules a reading of every entry that the listing contradicts or that waits to become ready. Returns
   * how many it contradicts.
   */
  async #compare(state: QueueState, listed: ReadonlyMap<number, ListedPullRequest>): Promise<number> {
    const now = await this.#context.runtime.state(state.id);
    let contradicted = 0;
    const { outbox, stores, clock } = this.#context;
    const last = this.#reread.get(state.id) ?? 0;
    const unready = new Set(nextInTurn([...state.unready.values()], last, maxUnreadyPerRound));
    this.#reread.set(state.id, [...unready].at(-1) ?? 0);
    for (const entry of state.entries.values()) {
      const pr = listed.get(entry.pr);
      if (pr && pr.headSha !== entry.headSha) {
        await stores.heads.record(state.repo, entry.pr, { sha: pr.headSha, at: pr.updatedAt });
      }
      const isContradicted = !agrees(entry, pr);
      // An entry that merged meanwhile, or is about to, is expected to differ.
      if (isContradicted && now.entries.has(entry.pr) && !isBeingMerged(now, entry.pr)) contradicted += 1;
      if (unready.has(entry.pr) || isContradicted || lacksHeadChecks(now, entry))
        await outbox.add(observeTask(state.id, entry.pr, clock.now()));
    }
    for (const { pr, headSha } of state.tries.values())
      if (listed.get(pr)?.headSha !== headSha) await outbox.add(observeTask(state.id, pr, clock.now()));
    return contradicted;
  }
}

/** Whether a check that `acceptFromHead` names has no accepted result on the head yet. */
function lacksHeadChecks({ settings }: QueueState, { readiness }: Entry): boolean {
  return settings.acceptFromHead.some((name) => !readiness.acceptedFromHead?.includes(name));
}

/** The next `count` numbers after `last`, wrapping around to the smallest. */
function nextInTurn(numbers: readonly number[], last: number, count: number): number[] {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [...sorted.filter((pr) => pr > last), ...sorted.filter((pr) => pr <= last)].slice(0, count);
}

function agrees(entry: Entry, pr: ListedPullRequest | undefined): boolean {
  return pr !== undefined && pr.headSha === entry.headSha && (!pr.draft || entry.state === "not_ready");
}
