import { createHash } from "node:crypto";
import { nextDeadline } from "../../engine/deadline.ts";
import type { Decided, decide } from "../../engine/decide.ts";
import type { Context, Input } from "../../engine/model/input.ts";
import { noQueue, type QueueState } from "../../engine/model/queue.ts";
import type { Judge } from "./judge.ts";
import { numberedId } from "./messages.ts";

/** The engine's decision function. A test can replace it to check that the judge notices mistakes. */
export type Decide = typeof decide;

/** An arbitrary date. It must be the same in each run. */
const epoch = Date.UTC(2026, 0, 5);
/** Every 16th observation is made twice. */
const repeatEvery = 16;

/** Holds a queue's state. Has each of its decisions judged and traced. */
export class QueueDriver {
  /** In milliseconds since the epoch. */
  now = epoch;
  readonly #decide: Decide;
  readonly #judge: Judge;
  readonly #trace = new TraceHash();
  readonly #context: Omit<Context, "now">;
  #state: QueueState = noQueue;
  #observations = 0;

  constructor(decideWith: Decide, judge: Judge) {
    this.#decide = decideWith;
    this.#judge = judge;
    let ids = 0;
    this.#context = { newId: () => numberedId(++ids + 2 ** 40) };
  }

  get state(): QueueState {
    return this.#state;
  }

  /** Minutes since the start. */
  get minutes(): number {
    return (this.now - epoch) / 60_000;
  }

  get deadline(): number | null {
    return nextDeadline(this.#state);
  }

  get trace(): string {
    return this.#trace.digest();
  }

  take(input: Input): Decided {
    const before = this.#state;
    const decided = this.#ask(input);
    this.#state = decided.state;
    this.#judge.check(before, decided);
    for (const event of decided.events) this.#trace.add(JSON.stringify(event));
    const isCommand = "actor" in input;
    if (!isCommand && ++this.#observations % repeatEvery === 0) {
      this.#judge.checkRepetition(input.type, this.#ask(input));
    }
    return decided;
  }

  #ask(input: Input): Decided {
    return this.#decide(this.#state, input, { now: this.now, ...this.#context });
  }
}

/** A digest of all events, in order. */
export class TraceHash {
  readonly #hash = createHash("sha256");

  add(what: string): void {
    this.#hash.update(what).update("\n");
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
