import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { WhatIf, WhatIfPart } from "../../replay/what-if.ts";

export interface WhatIfJob {
  readonly databaseUrl: string;
  readonly queueId: string;
  /** The time from which the log is replayed, in milliseconds since the epoch. */
  readonly since: number;
  readonly mostEvents: number;
  readonly question: WhatIf;
}

export type WhatIfMessage =
  | WhatIfPart
  /** Another answer is computed first. */
  | { readonly kind: "waits" }
  /** There are too many events since that time. */
  | { readonly kind: "too_large" }
  | { readonly kind: "too_slow" };

/** Some three thousand pull requests, for which a replay takes about ten seconds. */
const mostEvents = 50_000;
const longestMs = 120_000;
const resourceLimits = { maxOldGenerationSizeMb: 1_024 };

/** Replays queues in a separate thread, one at a time, so that the service continues and keeps a processor. */
export class WhatIfThread {
  readonly #script: URL;
  readonly #databaseUrl: string;
  #last: Promise<void> | null = null;

  /** @param script posts the parts of the answer to the job in its `workerData` */
  constructor(script: URL, databaseUrl: string) {
    this.#script = script;
    this.#databaseUrl = databaseUrl;
  }

  /**
   * Yields the parts of the answer as they are computed.
   *
   * @throws when the signal is aborted, or the thread fails
   */
  async *ask(
    queueId: string,
    since: number,
    question: WhatIf,
    ended: AbortSignal,
  ): AsyncGenerator<WhatIfMessage> {
    const before = this.#last;
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#last = promise;
    let worker: Worker | null = null;
    try {
      if (before) yield { kind: "waits" };
      await before;
      ended.throwIfAborted();
      const workerData = {
        databaseUrl: this.#databaseUrl,
        queueId,
        since,
        mostEvents,
        question,
      } satisfies WhatIfJob;
      worker = new Worker(this.#script, { workerData, resourceLimits });
      const timeout = AbortSignal.timeout(longestMs);
      const signal = AbortSignal.any([ended, timeout]);
      try {
        for await (const [part] of on(worker, "message", { signal, close: ["exit"] }))
          yield part as WhatIfMessage;
      } catch (error) {
        if (!timeout.aborted) throw error;
        yield { kind: "too_slow" };
      }
    } finally {
      await worker?.terminate();
      // A request that is aborted while it waits must not let the next one begin early.
      await before;
      if (this.#last === promise) this.#last = null;
      release();
    }
  }
}
