import type { Logger } from "../../ports/code-host/runtime.ts";
import { messageOf } from "./retry.ts";

export interface PeriodicTaskOptions {
  /** One round. Its errors are logged, and the next round follows as usual. */
  readonly run: () => Promise<unknown>;
  /** Milliseconds from the end of a round to the start of the next. */
  readonly everyMs: number;
  /** What a round does, for the log: "remove old webhooks". */
  readonly purpose: string;
  readonly log: Logger;
  /** The level at which a failed round is logged. Default: error. */
  readonly level?: "warn" | "error";
}

/** Runs rounds of work until stopped, one at a time. */
export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  #isDue = false;
  #isRunning = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** False before the start and from the call of `stop` on. Long rounds end early when it becomes false. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Starts with a round. It can be started again after `stop`. */
  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /** Starts a round now, or after the current one. */
  wake(): void {
    if (!this.#isRunning) return;
    this.#isDue = true;
    this.#round ??= this.#runRound();
  }

  /** Prevents further rounds. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #runRound(): Promise<void> {
    const { run, everyMs, purpose, log, level = "error" } = this.#options;
    clearTimeout(this.#timer);
    this.#isDue = false;
    try {
      await run();
    } catch (error) {
      log[level]({ err: error }, `could not ${purpose}; trying again: ${messageOf(error)}`);
    }
    this.#round = null;
    if (!this.#isRunning) return;
    if (this.#isDue) this.wake();
    else this.#timer = setTimeout(() => this.wake(), everyMs);
  }
}
