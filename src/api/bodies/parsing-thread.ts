import { Worker } from "node:worker_threads";
import { type Problem, ProblemError } from "../problems/problem.ts";

interface WaitingJob {
  readonly job: object;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** An idle thread takes 40 MB. Starting a new one takes 0.2 s. */
const idleMs = 5_000;
/** Bodies that are accepted for parsing need only a part of this memory. Running out of memory would end the whole process. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };

/**
 * Runs jobs one after the other in a separate thread, so that a large body delays only its own sender. The thread starts with
 * the first job, and ends after some time without a job.
 */
export class ParsingThread {
  readonly #script: URL;
  readonly #waiting: WaitingJob[] = [];
  #worker: Worker | null = null;
  #current: WaitingJob | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** @param script answers each message with `{ value }` or with `{ problem }`. */
  constructor(script: URL) {
    this.#script = script;
  }

  /**
   * Returns the script's result for a job. Rejects with a ProblemError if the script answers with a problem. The buffers are
   * transferred: here they are empty afterwards.
   */
  run<Value>(job: object, transfer: readonly ArrayBuffer[]): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, transfer, resolve: (value) => resolve(value as Value), reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current) return;
    if (this.#idle) clearTimeout(this.#idle);
    const next = this.#waiting.shift();
    this.#current = next ?? null;
    if (!next) {
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.postMessage(next.job, [...next.transfer]);
  }

  #settle(how: (job: WaitingJob) => void): void {
    const current = this.#current;
    this.#current = null;
    if (current) how(current);
    this.#next();
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { resourceLimits });
    worker.unref();
    worker.on("message", (answer: { value: unknown } | { problem: Problem }) => {
      this.#settle(({ resolve, reject }) =>
        "problem" in answer ? reject(new ProblemError(answer.problem)) : resolve(answer.value),
      );
    });
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, new Error("the thread that parses bodies ended")));
    return worker;
  }

  /** Rejects the current job. The waiting jobs get another thread. */
  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#settle(({ reject }) => reject(error));
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }
}
