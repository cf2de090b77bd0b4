import type { Entry } from "../engine/model/entry.ts";
import type { QueueState } from "../engine/model/queue.ts";
import { isBeingMerged } from "../engine/lifecycle/run-end.ts";
import type { ListedPullRequest } from "../ports/code-host.ts";
import type { HeadLog } from "../ports/head-log.ts";
import type { MeterStore } from "../ports/meter-store.ts";
import type { Outbox } from "../ports/outbox.ts";
import type { QueueRecord, QueueStore } from "../ports/queue-store.ts";
import type { Clock, Logger } from "../ports/runtime.ts";
import type { CheckWatcher } from "./check-watcher.ts";
import { type Directory, installed } from "./directory.ts";
import type { FreezeWatcher } from "./freeze-watcher.ts";
import { recoveredStep } from "./metrics/recovered.ts";
import type { QueueReach } from "./queue-reach.ts";
import type { QueueRuntime } from "./queue-runtime.ts";
import { observeTask, publishTask } from "./queue-tasks.ts";
import type { Relay } from "./relay.ts";
import { messageOf } from "./retry.ts";
import type { BranchSweeper } from "./sweep-branches.ts";

export interface ReconcilerParts {
  readonly runtime: QueueRuntime;
  readonly directory: Directory;
  readonly relay: Relay;
  readonly watcher: CheckWatcher;
  readonly sweeper: BranchSweeper;
  readonly reach: Pick<QueueReach, "checkDue" | "suspectFailure">;
  readonly freezes: Pick<FreezeWatcher, "look" | "hasLooked">;
  readonly heads: HeadLog;
  readonly queues: Pick<QueueStore, "endedEntries">;
  readonly outbox: Outbox;
  readonly meters: MeterStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervalMs: number;
}

/** At most so many entries that are not ready are read again in one round, in turn. */
const maxUnreadyPerRound = 20;

/** So many entries are looked at for objections of reviewers in one round: what one call can read. */
const reviewedPerRound = 50;

/** How often it is looked whether GitHub shows how entries ended, which ones, and how many at most. */
const repairEveryMs = 10 * 60_000;
const repairedMs = 2 * 60 * 60_000;
const maxRepaired = 200;

/**
 * Reads what webhooks would have told. With every webhook lost, the queue goes on at this pace. Rounds do not overlap; a
 * round that fails is logged, and the next one begins anew.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  /** By queue: the last entry that was looked at for objections. The next round goes on behind it. */
  readonly #reviewed = new Map<string, number>();
  /** By queue: the last entry that was not ready and was read again. */
  readonly #reread = new Map<string, number>();
  /** By queue: when what it shows was last repaired. */
  readonly #repaired = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #stopped = false;
  /** Whether this process has not gone through all queues yet. What was told before it began was told to nobody. */
  #isFirstRound = true;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#stopped) return;
    this.#round = this.#reconcileAll().finally(() => {
      this.#round = null;
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(), this.#parts.intervalMs);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#round;
  }

  async #reconcileAll(): Promise<void> {
    const { directory, log } = this.#parts;
    try {
      for (const queue of await directory.list()) {
        await this.#reconcile(queue).catch(async (error: unknown) => {
          log.warn({ err: error, queueId: queue.id }, `could not reconcile: ${messageOf(error)}`);
          await this.#parts.reach.suspectFailure(queue.id, error);
        });
      }
      this.#isFirstRound = false;
    } catch (error) {
      log.error({ err: error }, `could not list the queues to reconcile: ${messageOf(error)}`);
    }
  }

  async #reconcile({ id }: QueueRecord): Promise<void> {
    const { runtime, relay, watcher, sweeper, reach, directory, meters, intervalMs } = this.#parts;
    if (!(await reach.checkDue(await directory.get(id)))) return;
    const queue = await directory.get(id);
    const state = await runtime.state(queue.id);
    await sweeper.sweep(queue, state);
    await this.#repairPublications(queue);
    const { freezes } = this.#parts;
    if (state.entries.size > 0 || !freezes.hasLooked(queue.id)) await freezes.look(queue.id);
    if (state.entries.size + state.tries.size === 0) return;
    const moved = await relay.readBase(queue.id);
    const learned = await watcher.readOverdue(state, this.#isFirstRound ? 0 : intervalMs);
    const listed = await directory.codeHost.listOpenPullRequests(installed(queue), queue.branch);
    const contradicted = await this.#compare(state, new Map(listed.map((pr) => [pr.number, pr])));
    const objectedTo = await this.#readReviews(queue, state);
    const { owner } = queue.repo;
    const found = [
      recoveredStep(owner, "base", moved ? 1 : 0),
      recoveredStep(owner, "checks", learned),
      recoveredStep(owner, "pull_request", contradicted + objectedTo),
    ].filter(({ by }) => by > 0);
    if (found.length > 0) await meters.add(found);
  }

  /** Has entries read again to which reviewers object now: no listing tells of that. How many there are. */
  async #readReviews(queue: QueueRecord, state: QueueState): Promise<number> {
    const { directory, outbox, clock, runtime } = this.#parts;
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

  /** Has what ended lately shown once more: what is shown already costs no call. */
  async #repairPublications({ id, repo }: QueueRecord): Promise<void> {
    const { queues, outbox, clock } = this.#parts;
    const now = clock.now();
    if (now - (this.#repaired.get(id) ?? 0) < repairEveryMs) return;
    this.#repaired.set(id, now);
    for (const { pr } of await queues.endedEntries(id, now - repairedMs, maxRepaired))
      await outbox.add(publishTask(repo, pr, now));
  }

  /** Has every entry read again that the listing contradicts, or that waits to become ready; how many it contradicts. */
  async #compare(state: QueueState, listed: ReadonlyMap<number, ListedPullRequest>): Promise<number> {
    const now = await this.#parts.runtime.state(state.id);
    let contradicted = 0;
    const { outbox, heads, clock } = this.#parts;
    const last = this.#reread.get(state.id) ?? 0;
    const unready = new Set(nextInTurn([...state.unready.values()], last, maxUnreadyPerRound));
    this.#reread.set(state.id, [...unready].at(-1) ?? 0);
    for (const entry of state.entries.values()) {
      const pr = listed.get(entry.pr);
      if (pr && pr.headSha !== entry.headSha) {
        await heads.record(state.repo, entry.pr, { sha: pr.headSha, at: pr.updatedAt });
      }
      const isContradicted = !agrees(entry, pr);
      // What has merged meanwhile, or is about to, is no surprise.
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

/** So many of the numbers that come after the last one, going on at the beginning. */
function nextInTurn(numbers: readonly number[], last: number, count: number): number[] {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [...sorted.filter((pr) => pr > last), ...sorted.filter((pr) => pr <= last)].slice(0, count);
}

function agrees(entry: Entry, pr: ListedPullRequest | undefined): boolean {
  return pr !== undefined && pr.headSha === entry.headSha && (!pr.draft || entry.state === "not_ready");
}
