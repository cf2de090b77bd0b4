import { freezeAt, nextFreezeChange } from "../../command/freezes/freeze-rule.ts";
import type { EventData } from "../../engine/model/event.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { installed } from "../runtime/directory.ts";
import { KeyedMutex } from "../workers/keyed-mutex.ts";
import { messageOf } from "../workers/retry.ts";
import type { QueueContext } from "./queue-context.ts";

/** The longest delay that Node's timers support. */
const maxDelayMs = 2 ** 31 - 1;
const retryMs = 60_000;

/** The file is read after these events; other events do not require it. */
const reasonsToLook: ReadonlySet<EventData["type"]> = new Set([
  "queue_created",
  "queue_moved",
  "entry_admitted",
]);

/**
 * Reports to queues which freeze of `.github/trainyard.yml` applies: when a freeze begins, and when the file
 * changes.
 */
export class FreezeWatcher {
  readonly #context: QueueContext;
  readonly #turns = new KeyedMutex();
  /** By queue id: fires when its freeze may change next. */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #looked = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(context: QueueContext) {
    this.#context = context;
    context.runtime.onCommit((queueId, events) => {
      if (events.some(({ data }) => reasonsToLook.has(data.type))) void this.look(queueId);
    });
    context.files.onForgotten((repo, branch) => void this.#lookWhere(repo, branch));
  }

  /**
   * Whether this process has read a queue's freezes. After that it knows when they begin, unless the file
   * changes.
   */
  hasLooked(queueId: string): boolean {
    return this.#looked.has(queueId);
  }

  /**
   * Reports the current freeze to a queue, from a reading of the file within the last minutes. An invalid or unreadable file changes
   * nothing: the known freeze ends at its time. Never throws. Returns the error that leaves it unknown whether there is a freeze; null = it
   * is known.
   */
  look(queueId: string): Promise<unknown> {
    return this.#follow(
      this.#turns.take(queueId, async () => {
        if (this.#stopped) return null;
        try {
          await this.#look(queueId);
          return null;
        } catch (error) {
          this.#warn(error, `could not look for the freezes of queue ${queueId}`);
          this.#wakeAt(queueId, this.#context.clock.now() + retryMs);
          return error;
        }
      }),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#underWay);
  }

  async #look(queueId: string): Promise<void> {
    const { runtime, directory, files, clock } = this.#context;
    const queue = (await directory.list()).find(({ id }) => id === queueId);
    if (!queue) return this.#wakeAt(queueId, null);
    const parsed = await files.readOrLast(installed(queue), queue.branch);
    this.#looked.add(queueId);
    if (!parsed.ok) return;
    const now = clock.now();
    const { freezes } = parsed.file;
    const freeze = freezeAt(freezes, queue.branch, now);
    const known = (await runtime.state(queueId)).freeze;
    if (JSON.stringify(known) !== JSON.stringify(freeze))
      await runtime.dispatch(queueId, { type: "freeze_observed", freeze });
    this.#wakeAt(queueId, nextFreezeChange(freezes, queue.branch, now));
  }

  #lookWhere(repo: RepositoryRef, branch: string): Promise<void> {
    return this.#follow(this.#lookAtAll(repo, branch));
  }

  async #lookAtAll(repo: RepositoryRef, branch: string): Promise<void> {
    try {
      for (const queue of await this.#context.directory.ofRepository(repo))
        if (queue.branch === branch) await this.look(queue.id);
    } catch (error) {
      this.#warn(error, "could not look for freezes after a repository file changed");
    }
  }

  #wakeAt(queueId: string, time: number | null): void {
    clearTimeout(this.#timers.get(queueId));
    this.#timers.delete(queueId);
    if (time === null || this.#stopped) return;
    const delay = Math.min(Math.max(0, time - this.#context.clock.now()), maxDelayMs);
    this.#timers.set(
      queueId,
      setTimeout(() => void this.look(queueId), delay),
    );
  }

  #follow<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    return work.finally(() => this.#underWay.delete(work));
  }

  #warn(error: unknown, what: string): void {
    this.#context.log.warn({ err: error }, `${what}: ${messageOf(error)}`);
  }
}
