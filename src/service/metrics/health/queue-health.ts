import type { Clock, Logger } from "../../../ports/code-host/runtime.ts";
import type { HealthHour, HealthStore } from "../../../store/queue/health-store.ts";
import type { HistoryStore } from "../../../store/queue/history-store.ts";
import type { Directory, QueueAddress } from "../../runtime/directory.ts";
import { PeriodicTask } from "../../workers/periodic-task.ts";
import { yieldToEventLoop } from "../../workers/yield-to-event-loop.ts";
import { HealthFold } from "./fold-health.ts";
import { type HealthStay, type HealthStep, hourMs } from "./health-figures.ts";

/** Limits how long the event loop is blocked. */
const eventsAtOnce = 500;
/** A fold is stored after this many new events. Storing it more often costs more than folding a few events again. */
const eventsPerFold = 200;
/** A page folds at most this many events; the leading service folds the rest. */
const eventsForPage = 2_000;
const hoursAtOnce = 100;
const everyMs = 60_000;

export interface HealthReport {
  readonly steps: readonly HealthStep[];
  /** The slots that the queue has now. */
  readonly slots: number;
  /** Null once all events are folded; until then, the time in milliseconds since the epoch that the figures reach. */
  readonly until: number | null;
}

export interface QueueHealthSources {
  readonly store: HealthStore;
  readonly history: Pick<HistoryStore, "queueIds">;
  readonly directory: Pick<Directory, "find">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The figures of queues over time, folded from their logs. The result is the same in every service, so any of them may store it. */
export class QueueHealth {
  readonly #parts: QueueHealthSources;
  readonly #rounds: PeriodicTask;

  constructor(parts: QueueHealthSources) {
    this.#parts = parts;
    const purpose = "compute figures of the queues";
    this.#rounds = new PeriodicTask({ run: () => this.#foldAll(), everyMs, purpose, log: parts.log });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** What a queue did from `from` until before `to`, which are multiples of a step. Null = there is no such queue. */
  async read(queue: QueueAddress, from: number, to: number): Promise<HealthReport | null> {
    const { store, clock, directory } = this.#parts;
    const found = await directory.find(queue);
    if (!found.ok) return null;
    const queueId = found.value.id;
    const { fold, isComplete } = await this.#fold(queueId, eventsForPage);
    const until = isComplete ? null : fold.at;
    if (isComplete) fold.advance(clock.now());
    const steps: HealthStep[] = [];
    const last = fold.steps[0]?.at ?? Number.POSITIVE_INFINITY;
    for (let at = hourOf(from); ; await yieldToEventLoop()) {
      const rows = await store.steps(queueId, at, to, hoursAtOnce);
      for (const row of rows) steps.push(...(JSON.parse(row.steps) as HealthStep[]));
      at = (rows.at(-1)?.at ?? 0) + hourMs;
      if (rows.length < hoursAtOnce) break;
    }
    const all = [...steps.filter((step) => step.at < last), ...fold.steps];
    return { steps: all.filter((step) => step.at >= from && step.at < to), slots: fold.slots, until };
  }

  /** The waits of pull requests that ended at these times. May include other pull requests. */
  async stays(queue: QueueAddress, endedAt: readonly number[]): Promise<readonly HealthStay[]> {
    const found = await this.#parts.directory.find(queue);
    if (!found.ok) return [];
    const queueId = found.value.id;
    const hours = [...new Set(endedAt.map(hourOf))];
    const { fold } = await this.#fold(queueId, eventsForPage);
    const stored = await this.#parts.store.stays(queueId, hours);
    return [...stored.flatMap((stays) => JSON.parse(stays) as HealthStay[]), ...fold.stays];
  }

  async #foldAll(): Promise<void> {
    // A damaged log must not prevent the folding of the other queues.
    const failures: unknown[] = [];
    for (const queueId of await this.#parts.history.queueIds()) {
      if (!this.#rounds.isRunning) return;
      await this.#fold(queueId, Number.POSITIVE_INFINITY, () => this.#rounds.isRunning).catch(
        (error: unknown) => failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Folds at most `limit` events that were not folded before. Returns the fold, which may contain steps that are not stored yet. */
  async #fold(queueId: string, limit: number, goesOn = () => true) {
    const { store } = this.#parts;
    const fold = new HealthFold(await store.fold(queueId));
    let stored = fold.seq;
    for (const first = fold.seq; fold.seq - first < limit && goesOn(); await yieldToEventLoop()) {
      const events = await store.eventsAfter(queueId, fold.seq, eventsAtOnce);
      for (const event of events) fold.take(event);
      if (fold.seq - stored >= eventsPerFold) {
        const hours = hoursOf(fold);
        // The current hour is not complete.
        fold.forgetBefore(hourOf(fold.at));
        await store.put(queueId, fold.seq, fold.serialize(), hours);
        stored = fold.seq;
      }
      if (events.length < eventsAtOnce) return { fold, isComplete: true };
    }
    return { fold, isComplete: false };
  }
}

function hourOf(at: number): number {
  return at - (at % hourMs);
}

function hoursOf({ steps, stays }: HealthFold): readonly HealthHour[] {
  const ended = Map.groupBy(stays, ({ endedAt }) => hourOf(endedAt));
  return [...Map.groupBy(steps, (step) => hourOf(step.at))].map(([at, own]) => ({
    at,
    steps: JSON.stringify(own),
    stays: JSON.stringify(ended.get(at) ?? []),
  }));
}
