import { fold } from "../engine/evolve.ts";
import type { QueueState } from "../engine/model/queue.ts";
import { parseSnapshot, restoreState, serializedParts, targetSeqs } from "../engine/snapshot.ts";
import type { QueueStore } from "../ports/queue-store.ts";
import type { Logger } from "../ports/runtime.ts";
import { nextTurn } from "./next-turn.ts";

/** At least; a queue of more entries writes one when as many events have come, so that each event costs the same share. */
const eventsPerSnapshot = 300;

/** Loads queues, and keeps snapshots of them so that this stays quick. */
export class QueueSnapshots {
  readonly #store: QueueStore;
  readonly #log: Logger;
  /** The last event of each queue that a snapshot holds. */
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
    const parsed = parseSnapshot(snapshot.state);
    const targets = await this.#store.targets(queueId, targetSeqs(parsed));
    return fold(events, restoreState(parsed, targets));
  }

  /** Begins to write a snapshot if enough has happened since the last one. */
  keep(state: QueueState): void {
    const { id, seq } = state;
    const due = (this.#keptSeqs.get(id) ?? 0) + Math.max(eventsPerSnapshot, state.entries.size);
    if (this.#saving.has(id) || seq < due) return;
    this.#keptSeqs.set(id, seq);
    const saving = this.#save(state)
      .catch((error: unknown) =>
        this.#log.error({ err: error, queueId: id }, "could not save a snapshot; the log is whole"),
      )
      .finally(() => this.#saving.delete(id));
    this.#saving.set(id, saving);
  }

  /** Resolves when the snapshots that are being written are. */
  async rest(): Promise<void> {
    await Promise.all(this.#saving.values());
  }

  /** Piece by piece, so that a long queue does not hold up what comes in meanwhile. */
  async #save(state: QueueState): Promise<void> {
    const parts: string[] = [];
    for (const part of serializedParts(state)) {
      parts.push(part);
      await nextTurn();
    }
    await this.#store.saveSnapshot(state.id, { seq: state.seq, state: parts.join("") });
  }
}
