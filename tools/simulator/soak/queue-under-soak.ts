import { nextDeadline } from "../../../src/engine/deadline.ts";
import { type Effect, effectsOf } from "../../../src/engine/model/effect.ts";
import type { Event } from "../../../src/engine/model/event.ts";
import type { Input, Observation } from "../../../src/engine/model/input.ts";
import { noQueue, type QueueState } from "../../../src/engine/model/queue.ts";
import type { Refusal } from "../../../src/engine/model/refusal.ts";
import type { Targets } from "../../../src/engine/model/targets.ts";
import { deserializeState, serializeState } from "../../../src/engine/snapshot.ts";
import { type Decide, TraceHash } from "../../../src/replay/engine-run/queue-driver.ts";
import type { Judge } from "./judge.ts";

/** A queue with its clock. Every decision is judged and traced. */
export class QueueUnderSoak {
  /** In milliseconds since the epoch. */
  now = Date.UTC(2026, 0, 5);
  events = 0;
  /** Every kind and every reason of the events that occurred. */
  readonly reached = new Set<string>();
  state: QueueState = noQueue;
  readonly #decide: Decide;
  readonly #judge: Judge;
  readonly #tell: (event: Event, effects: readonly Effect[]) => void;
  readonly #trace = new TraceHash();
  /** The targets in the log, by the number of the event. */
  readonly #targets = new Map<number, Targets>();
  #ids = 0;

  /** @param tell called with every event and its effects */
  constructor(decideWith: Decide, judge: Judge, tell: (event: Event, effects: readonly Effect[]) => void) {
    this.#decide = decideWith;
    this.#judge = judge;
    this.#tell = tell;
  }

  get deadline(): number | null {
    return nextDeadline(this.state);
  }

  get trace(): string {
    return this.#trace.digest();
  }

  take(input: Input): Refusal | null {
    const decided = this.#ask(input);
    this.state = decided.state;
    this.events += decided.events.length;
    this.#judge.check(decided, this.now);
    for (const event of decided.events) {
      this.reached.add(event.data.type);
      if ("reason" in event.data) this.reached.add(event.data.reason.code);
      if ("targets" in event.data && event.data.targets) this.#targets.set(event.seq, event.data.targets);
      this.#trace.add(JSON.stringify(event));
      this.#tell(event, effectsOf(event.data));
    }
    return decided.refusal;
  }

  /** Makes an observation twice. The second one must not change anything. */
  takeTwice(observation: Observation): void {
    this.take(observation);
    this.echo(observation);
  }

  /** Makes an observation without news. Effects of the time alone are handled before it. */
  echo(observation: Observation): void {
    this.take({ type: "clock" });
    const decided = this.#ask(observation);
    this.#judge.checkSilence(observation.type, decided);
  }

  /** Continues from a snapshot, as after a restart. */
  crash(): void {
    this.state = deserializeState(serializeState(this.state), this.#targets);
    this.#judge.checkFold(this.state);
  }

  #ask(input: Input) {
    const newId = () => `id-${++this.#ids}`;
    return this.#decide(this.state, input, { now: this.now, newId });
  }
}

/** Whether a late observation is about something that has ended since. */
export function isObsolete(late: Observation, { state }: QueueUnderSoak): boolean {
  switch (late.type) {
    case "test_commit_concluded":
      return state.runs.get(late.runId)?.state !== "building";
    case "checks_observed":
      return state.runs.get(late.runId)?.state !== "running";
    case "base_observed":
      return late.asOfSeq < state.baseSeq;
    case "merge_calling":
    case "merge_not_done":
    case "merge_concluded":
      return state.merge?.id !== late.attemptId;
    default:
      return false;
  }
}
