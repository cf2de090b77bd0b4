import type { Logger } from "../../ports/code-host/runtime.ts";
import type { ReplicaStore } from "../../store/replicas/replica-store.ts";
import type { ReplicaNote } from "./replicas.ts";

/** Notes within this time are sent together. */
const gatherMs = 20;
const retryMs = 1_000;
/** The maximum number of notes that wait while the database is not reached. */
const mostWaiting = 2_000;

/** Sends notes to the other replicas, several at once and each one once. */
export class NoteSender {
  readonly #store: Pick<ReplicaStore, "send">;
  readonly #id: string;
  readonly #log: Pick<Logger, "warn">;
  /** As JSON, so that equal notes, such as those of a queue with many commits, are sent once. */
  #waiting = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(store: Pick<ReplicaStore, "send">, id: string, log: Pick<Logger, "warn">) {
    this.#store = store;
    this.#id = id;
    this.#log = log;
  }

  add(note: ReplicaNote): void {
    if (this.#isStopped || this.#waiting.size >= mostWaiting) return;
    this.#waiting.add(JSON.stringify(note));
    this.#sendIn(gatherMs);
  }

  /** Sends the waiting notes, and accepts no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#sending;
    await this.#send();
  }

  #sendIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#sending = this.#send();
    }, ms);
  }

  async #send(): Promise<void> {
    const notes = this.#waiting;
    this.#waiting = new Set();
    if (notes.size === 0) return;
    try {
      await this.#store.send(this.#id, `[${[...notes].join(",")}]`);
    } catch (error) {
      this.#log.warn({ err: error, notes: notes.size }, "could not tell the other replicas; trying again");
      if (this.#isStopped) return;
      this.#waiting = new Set([...notes, ...this.#waiting]);
      this.#sendIn(retryMs);
    }
  }
}
