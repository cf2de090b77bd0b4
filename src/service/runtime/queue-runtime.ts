import { isIdle } from "../../engine/deadline.ts";
import type { Decided } from "../../engine/decide.ts";
import { fold } from "../../engine/evolve.ts";
import type { Event } from "../../engine/model/event.ts";
import { type Input, isCommand } from "../../engine/model/input.ts";
import { isSamePlace, noQueue, type QueueState } from "../../engine/model/queue.ts";
import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { ClaimedRow } from "../../store/leased/outbox.ts";
import type { QueueStore, Relocation } from "../../store/queue/queue-store.ts";
import { pendingAudit } from "../access/audit-trail.ts";
import { yieldToEventLoop } from "../workers/yield-to-event-loop.ts";
import type { PageUrl } from "./directory.ts";
import { type DispatchOptions, decideAll, type Job, unchanged } from "./jobs.ts";
import { planMessages } from "./plan-messages.ts";
import { type Pace, planTasks } from "./plan-tasks.ts";
import { QueueSnapshots } from "./queue-snapshots.ts";
import { QueueTallies } from "./queue-tallies.ts";
import { recordRuns } from "./record-runs.ts";

export interface QueueRuntimeOptions {
  readonly store: QueueStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly pace: Pace;
  readonly pageUrl: PageUrl;
}

/**
 * Receives no events when the state was only loaded. `isOwn`: this process committed the events.
 */
export type CommitListener = (
  queueId: string,
  events: readonly Event[],
  state: QueueState,
  isOwn: boolean,
) => void;

interface Mailbox {
  /** Null while it is not loaded. */
  state: QueueState | null;
  /** The last event that the listeners received, even if the state is no longer loaded; 0 = none. */
  told: number;
  readonly jobs: Job[];
  running: boolean;
}

const maxJobsPerCommit = 200;
const maxConflicts = 20;
/** The states of this many idle queues stay loaded. */
const idleKept = 100;

/**
 * Loads, decides, commits, then notifies listeners. Inputs of one queue are decided in order of arrival; those that arrive together share
 * one transaction. Another process may write to the same log. Its commits are read before anything is decided or returned. If a commit
 * conflicts with them, it fails, and its inputs are decided again.
 *
 * Hazard: a decision without events conflicts with nothing, even if the state is stale. The task of a run that this state does not contain
 * would be settled as obsolete, and the queue would wait for it forever.
 */
export class QueueRuntime {
  readonly #parts: QueueRuntimeOptions;
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #listeners: CommitListener[] = [];
  readonly #snapshots: QueueSnapshots;
  readonly #tallies: QueueTallies;
  /** The ids of loaded idle queues; the one that was used first comes first. */
  readonly #idle = new Set<string>();

  constructor(parts: QueueRuntimeOptions) {
    this.#parts = parts;
    this.#snapshots = new QueueSnapshots(parts.store, parts.log);
    this.#tallies = new QueueTallies(parts.store, parts.log);
  }

  /** Calls back for every new state: after loading, and after every commit with events, also by other processes. */
  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /** The state after the last commit of any process. */
  async state(queueId: string): Promise<QueueState> {
    const { state } = this.#mailbox(queueId);
    if (state && (await this.#parts.store.eventsAfter(queueId, state.seq)).length === 0) return state;
    return (await this.#enqueue(queueId, null, {})).state;
  }

  /** Makes sure that the state contains the events up to this one, which another process may have committed. */
  async catchUp(queueId: string, seq: number): Promise<void> {
    if (this.#mailbox(queueId).told < seq) await this.state(queueId);
  }

  /** Decides an input. Resolves when the consequences are durable. */
  dispatch(queueId: string, input: Input, options: DispatchOptions = {}): Promise<Decided> {
    return this.#enqueue(queueId, input, options);
  }

  /** Resolves when the snapshots in progress are written. Before that, the store must not be closed. */
  async rest(): Promise<void> {
    await this.#snapshots.rest();
  }

  #enqueue(queueId: string, input: Input | null, options: DispatchOptions): Promise<Decided> {
    const mailbox = this.#mailbox(queueId);
    const audit = input && isCommand(input) ? pendingAudit() : null;
    return new Promise((resolve, reject) => {
      mailbox.jobs.push({ input, options, audit, resolve, reject });
      if (!mailbox.running) void this.#run(queueId, mailbox);
    });
  }

  async #run(queueId: string, mailbox: Mailbox): Promise<void> {
    mailbox.running = true;
    while (mailbox.jobs.length > 0) {
      // Inputs that arrive at the same time are decided together.
      await yieldToEventLoop();
      const jobs = mailbox.jobs.splice(0, maxJobsPerCommit);
      try {
        await this.#commit(queueId, mailbox, jobs);
      } catch (error) {
        mailbox.state = null;
        for (const job of jobs) job.reject(error);
      }
    }
    mailbox.running = false;
    this.#unloadIdle(queueId, mailbox);
  }

  /** Unloads the queues that have been idle for the longest time, if there are too many. They are loaded again when they are needed. */
  #unloadIdle(queueId: string, { state }: Mailbox): void {
    this.#idle.delete(queueId);
    if (state && isIdle(state)) this.#idle.add(queueId);
    for (const id of this.#idle) {
      if (this.#idle.size <= idleKept) return;
      this.#idle.delete(id);
      const mailbox = this.#mailbox(id);
      if (mailbox.running || !mailbox.state) continue;
      this.#snapshots.keep(mailbox.state, true);
      this.#tallies.forget(id);
      mailbox.state = null;
    }
  }

  async #commit(queueId: string, mailbox: Mailbox, jobs: readonly Job[], conflicts = 0): Promise<void> {
    const before = await this.#current(queueId, mailbox);
    const { clock, ids } = this.#parts;
    const results = decideAll(before, jobs, { now: clock.now(), newId: () => ids.next() });
    const last = results.at(-1)?.decided.state ?? before;
    const events = results.flatMap(({ decided }) => decided.events);
    const touched = new Map(results.flatMap(({ decided }) => [...decided.touched]));
    const settles = results.flatMap(({ job }) => job.options.settles ?? []);
    const carriedOut = results.filter(({ decided }) => decided.events.length > 0 && !decided.refusal);
    for (const { job, changes } of results) if (job.audit) job.audit.noted = { changes };
    const audits = [...new Set(carriedOut.flatMap(({ job }) => job.audit ?? []))];
    const creates = jobs.find(({ options }) => options.creates)?.options.creates;
    // An answer of the code host that is older than the last move was ignored.
    const isInPlace = ({ place }: Relocation) => isSamePlace(place, last);
    const relocates = jobs.flatMap(({ options }) => options.relocates ?? []).findLast(isInPlace);
    if (events.length + settles.length > 0 || relocates) {
      const tally = await this.#tallies.count(queueId, before, events, last);
      const result = await this.#parts.store.commit({
        queueId,
        events,
        entries: [...touched.values()],
        runs: recordRuns(before, events, last),
        tasks: planTasks(last, events, this.#parts.pace),
        settles,
        audits: audits.map(({ entry, noted }) => ({ ...entry, ...noted })),
        announces: {
          organisation: last.repo.owner,
          messages: () => planMessages(before, events, this.#parts.pageUrl),
        },
        ...(creates && events.length > 0 ? { creates } : {}),
        ...(last.deleted ? { deletes: true } : {}),
        ...(relocates ? { relocates } : {}),
        ...(tally ? { tally: { seq: tally.seq, content: JSON.stringify(tally) } } : {}),
      });
      if (result === "conflict") return this.#decideAgain(queueId, mailbox, jobs, conflicts);
      if (result === "place_taken") return this.#decideInPlace(queueId, mailbox, jobs, conflicts);
      if (result !== "committed") return this.#decideWithout(result.lost, queueId, mailbox, jobs, conflicts);
      if (tally) this.#tallies.keep(queueId, tally);
    }
    for (const audit of audits) audit.isWritten = true;
    mailbox.state = last;
    mailbox.told = last.seq;
    for (const { job, decided } of results) job.resolve(decided);
    if (events.length > 0) this.#notify(queueId, events, last, true);
  }

  async #decideAgain(
    queueId: string,
    mailbox: Mailbox,
    jobs: readonly Job[],
    conflicts: number,
  ): Promise<void> {
    if (conflicts >= maxConflicts)
      throw new Error(`queue ${queueId}: ${conflicts} commits in a row conflicted`);
    // A new queue has its own log, so the conflict can only mean that another queue of the branch was created meanwhile.
    const [creating] = jobs.flatMap((job) =>
      job.options.creates ? [{ job, record: job.options.creates }] : [],
    );
    if (creating) {
      const refusal = { code: "QUEUE_EXISTS", branch: creating.record.branch } as const;
      return creating.job.resolve({ ...unchanged(noQueue), refusal });
    }
    return this.#commit(queueId, mailbox, jobs, conflicts + 1);
  }

  /**
   * Decides the other jobs. Jobs that lost their row get the current state, which shows what is left to do.
   */
  async #decideWithout(
    lost: readonly ClaimedRow[],
    queueId: string,
    mailbox: Mailbox,
    jobs: readonly Job[],
    conflicts: number,
  ): Promise<void> {
    const ids = new Set(lost.map(({ id }) => id));
    const isLate = ({ options }: Job) => options.settles !== undefined && ids.has(options.settles.id);
    const others = jobs.filter((job) => !isLate(job));
    const state = await this.#decideOthers(queueId, mailbox, others, conflicts);
    for (const job of jobs.filter(isLate)) {
      const fields = { code: "CLAIM_LOST", queueId, row: job.options.settles?.id, input: job.input?.type };
      this.#parts.log.warn(
        fields,
        "work outlasted its lease and was given to another worker; its outcome here is dropped",
      );
      job.resolve(unchanged(state));
    }
  }

  /** Decides the other jobs, and refuses those that would relocate the queue. */
  async #decideInPlace(
    queueId: string,
    mailbox: Mailbox,
    jobs: readonly Job[],
    conflicts: number,
  ): Promise<void> {
    const others = jobs.filter(({ options }) => options.relocates === undefined);
    const state = await this.#decideOthers(queueId, mailbox, others, conflicts);
    for (const { options, resolve } of jobs) {
      const branch = options.relocates?.place.branch;
      if (branch !== undefined) resolve({ ...unchanged(state), refusal: { code: "QUEUE_EXISTS", branch } });
    }
  }

  /** Decides some of the jobs, and returns the state after them. */
  async #decideOthers(
    queueId: string,
    mailbox: Mailbox,
    others: readonly Job[],
    conflicts: number,
  ): Promise<QueueState> {
    await this.#commit(queueId, mailbox, others, conflicts);
    return mailbox.state ?? (await this.#current(queueId, mailbox));
  }

  #notify(queueId: string, events: readonly Event[], state: QueueState, isOwn: boolean): void {
    for (const listener of this.#listeners) listener(queueId, events, state, isOwn);
    this.#snapshots.keep(state);
  }

  /** The state including later commits of other processes, about which the listeners are notified, too. */
  async #current(queueId: string, mailbox: Mailbox): Promise<QueueState> {
    const known = mailbox.state;
    const isFirst = known === null && mailbox.told === 0;
    const loaded = known ?? (await this.#snapshots.load(queueId));
    const news = isFirst ? [] : await this.#parts.store.eventsAfter(queueId, mailbox.told);
    if (known && news.length === 0) return known;
    const state = fold(
      news.filter(({ seq }) => seq > loaded.seq),
      loaded,
    );
    mailbox.state = state;
    mailbox.told = state.seq;
    // There is nothing to report about a state without events in the log, or about one that was only unloaded.
    if (isFirst ? state.seq > 0 : news.length > 0) this.#notify(queueId, news, state, false);
    return state;
  }

  #mailbox(queueId: string): Mailbox {
    const known = this.#mailboxes.get(queueId);
    if (known) return known;
    const mailbox: Mailbox = { state: null, told: 0, jobs: [], running: false };
    this.#mailboxes.set(queueId, mailbox);
    return mailbox;
  }
}
