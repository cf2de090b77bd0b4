import { fold } from "../../engine/evolve.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import { parseSnapshot, restoreState, serializedParts, targetSeqs } from "../../engine/snapshot.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import type { QueueStore } from "../../store/queue/queue-store.ts";
import { yieldToEventLoop } from "../workers/yield-to-event-loop.ts";

/**
 * The minimum number of events between snapshots. A queue with more entries than this writes a snapshot after as many events as it has
 * entries, so that the cost per event stays constant.
 */
const eventsPerSnapshot = 300;
/**
 * The minimum number of events when a state is unloaded, because it may be loaded again soon. Folding more events takes longer than writing
 * a snapshot.
 */
const eventsPerUnloading = 20;

/** Restores a state from its text and the log, which contains the targets. */
export async function restoreSnapshot(
  store: Pick<QueueStore, "targets">,
  queueId: string,
  text: string,
): Promise<QueueState> {
  const parsed = parseSnapshot(text);
  return restoreState(parsed, await store.targets(queueId, targetSeqs(parsed)));
}

/** Loads queues, and saves snapshots that keep loading fast. */
export class QueueSnapshots {
  readonly #store: QueueStore;
  readonly #log: Logger;
  /** By queue id: the last event that a snapshot contains. */
  readonly #keptSeqs = new Map<string, number>();
  readonly #saving = new Map<string, Promise<void>>();

  constructor(store: QueueStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  async load(queueId: string): Promise<QueueState> {
    const { snapshot, events } = await this.#store.load(queueId);
    this.#keptSeqs.set(queueId, snapshot?.seq ?? 0);
    if (!snapshot) return fold(events);
    return fold(events, await restoreSnapshot(this.#store, queueId, snapshot.state));
  }

  /** Starts to write a snapshot if enough events have happened since the last one; for a state that is unloaded, a few are enough. */
  keep(state: QueueState, isUnloaded = false): void {
    const { id, seq } = state;
    const enough = isUnloaded ? eventsPerUnloading : Math.max(eventsPerSnapshot, state.entries.size);
    const due = (this.#keptSeqs.get(id) ?? 0) + enough;
    if (this.#saving.has(id) || seq < due) return;
    this.#keptSeqs.set(id, seq);
    const saving = this.#save(state)
      .catch((error: unknown) =>
        this.#log.error({ err: error, queueId: id }, "could not save a snapshot; the log is whole"),
      )
      .finally(() => this.#saving.delete(id));
    this.#saving.set(id, saving);
  }

  /** Resolves when the snapshots in progress are written. */
  async rest(): Promise<void> {
    await Promise.all(this.#saving.values());
  }

  /** Serializes piece by piece, so that a long queue does not block other work. */
  async #save(state: QueueState): Promise<void> {
    const parts: string[] = [];
    for (const part of serializedParts(state)) {
      parts.push(part);
      await yieldToEventLoop();
    }
    await this.#store.saveSnapshot(state.id, { seq: state.seq, state: parts.join("") });
  }
}
