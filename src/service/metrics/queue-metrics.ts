import { evolve } from "../../engine/evolve.ts";
import { isSameName, nameKey } from "../../engine/model/names.ts";
import { noQueue, type RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { TallyStore } from "../../store/queue/tally-store.ts";
import { countEvents, tallyAt } from "../runtime/count-events.ts";
import { sameRepository } from "../runtime/directory.ts";
import { nothingCounted, type Tally } from "../runtime/tally.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";
import { isStorageFault } from "../workers/retry.ts";
import { yieldToEventLoop } from "../workers/yield-to-event-loop.ts";

export interface MeasuredQueue {
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly tally: Tally;
}

/** Reading these takes a millisecond or two. */
const talliesAtOnce = 50;
/** Counting these takes a few milliseconds. */
const eventsAtOnce = 100;
const everyMs = 60_000;
const progressMs = 10_000;

/** Measures queues by what was counted when their events were committed, without their states and logs. */
export class QueueMetrics {
  readonly #tallies: TallyStore;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #rounds: PeriodicTask;
  /** The queues whose log could not be read. Reading is tried once, because the log may be long. */
  readonly #unreadable = new Set<string>();

  constructor(tallies: TallyStore, clock: Clock, log: Logger) {
    this.#tallies = tallies;
    this.#clock = clock;
    this.#log = log;
    this.#rounds = new PeriodicTask({
      run: () => this.#countMissing(),
      everyMs,
      purpose: "count the events of queues for the metrics",
      log,
    });
  }

  /** Counts the logs that are not counted yet, such as after an upgrade. */
  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** The queues of an organisation (of all if null), or of one repository, by owner, name and branch. Those that were not counted yet are missing. */
  async measure(organisation: string | null, repo: RepositoryRef | null): Promise<readonly MeasuredQueue[]> {
    const own = (await this.#tallies.list()).filter(
      (queue) =>
        (organisation === null || isSameName(queue.repo.owner, organisation)) &&
        (repo === null || sameRepository(queue.repo, repo)),
    );
    const key = ({ repo: { owner, name }, branch }: QueueRecord) =>
      `${nameKey(`${owner}/${name}`)}:${branch}`;
    own.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    const now = this.#clock.now();
    const measured: MeasuredQueue[] = [];
    for (const { repo, branch, content } of own) {
      measured.push({ repo, branch, tally: tallyAt(JSON.parse(content) as Tally, now) });
      if (measured.length % talliesAtOnce === 0) await yieldToEventLoop();
    }
    return measured;
  }

  async #countMissing(): Promise<void> {
    const queueIds = (await this.#tallies.behind()).filter((id) => !this.#unreadable.has(id));
    const count = queueIds.length;
    if (count > 0)
      this.#log.info({ queues: count }, `counting the events of ${count} queues for the metrics`);
    let told = performance.now();
    for (const [index, queueId] of queueIds.entries()) {
      if (!this.#rounds.isRunning) return;
      // A damaged log must not prevent the counting of the other queues.
      await this.#countLog(queueId).catch((error: unknown) => {
        if (isStorageFault(error)) throw error;
        this.#unreadable.add(queueId);
        const text = "could not count the events of a queue; its metrics are missing until the next start";
        this.#log.warn({ err: error, queueId }, text);
      });
      if (index + 1 < count && performance.now() - told < progressMs) continue;
      told = performance.now();
      this.#log.info({ queues: count }, `counted the events of ${index + 1} of ${count} queues`);
    }
  }

  /**
   * Counts until no event is left. Commits in the meantime are not counted when they are made, so the log is read once more after the
   * counts were stored.
   */
  async #countLog(queueId: string): Promise<void> {
    let [state, tally, stored] = [noQueue, nothingCounted, 0];
    for (; this.#rounds.isRunning; await yieldToEventLoop()) {
      const events = await this.#tallies.eventsAfter(queueId, tally.seq, eventsAtOnce);
      for (const event of events) {
        const next = evolve(state, event);
        tally = countEvents(tally, state, [event], next);
        state = next;
      }
      if (events.length > 0) continue;
      if (tally.seq === stored) return;
      stored = tally.seq;
      await this.#tallies.put(queueId, { seq: stored, content: JSON.stringify(tally) });
    }
  }
}
