import { isTerminal } from "../../../engine/model/entry.ts";
import type { Event, EventData, EventOf } from "../../../engine/model/event.ts";
import { type CountName, type HealthStay, type HealthStep, stepMs, waits } from "./health-figures.ts";
import {
  advanceClocks,
  beginStay,
  type Clocks,
  type LiveStay,
  noClocks,
  type QueueFacts,
  settleStay,
} from "./wait-clocks.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface LiveRun {
  readonly kind: "main" | "bisection";
  readonly members: readonly number[];
  isBuilt: boolean;
  isEnded: boolean;
  retried?: "begun" | "refused";
  isForgiven?: true;
}

interface FoldState extends Mutable<Omit<QueueFacts, "hasFreeSlot">> {
  seq: number;
  at: number;
  slots: number;
  /** For each place, the time that an entry would have spent in each kind of wait if it had been there from the start. */
  clocks: Clocks;
  live: [number, LiveStay][];
  runs: [string, LiveRun][];
  steps: Mutable<HealthStep>[];
  stays: HealthStay[];
}

const start: FoldState = {
  ...{ seq: 0, at: 0, status: "running", pausesNext: false, isFrozen: false, batch: false, slots: 1 },
  ...{ clocks: noClocks, live: [], runs: [], steps: [], stays: [] },
};

/** Folds the log of a queue into its figures in steps of five minutes. The cost depends only on the number of events. */
export class HealthFold {
  readonly #state: Omit<FoldState, "live" | "runs">;
  readonly #live: Map<number, LiveStay>;
  readonly #runs: Map<string, LiveRun>;
  #busy = 0;
  #inCi = 0;

  /** @param stored from `serialize`; null = no event was folded before */
  constructor(stored: string | null) {
    const { live, runs, ...state } =
      stored === null ? structuredClone(start) : (JSON.parse(stored) as FoldState);
    this.#state = state;
    this.#live = new Map(live);
    this.#runs = new Map(runs);
    this.#countRuns();
  }

  get seq(): number {
    return this.#state.seq;
  }

  /** The time of the last event, in milliseconds since the epoch. */
  get at(): number {
    return this.#state.at;
  }

  get slots(): number {
    return this.#state.slots;
  }

  /** The steps and stays since the last call of `forgetBefore`. */
  get steps(): readonly HealthStep[] {
    return this.#state.steps;
  }

  get stays(): readonly HealthStay[] {
    return this.#state.stays;
  }

  forgetBefore(at: number): void {
    this.#state.steps = this.#state.steps.filter((step) => step.at >= at);
    this.#state.stays = this.#state.stays.filter(({ endedAt }) => endedAt >= at);
  }

  serialize(): string {
    return JSON.stringify({ ...this.#state, live: [...this.#live], runs: [...this.#runs] });
  }

  take({ seq, at, data }: Event): void {
    if (this.#state.at === 0) this.#state.at = at;
    this.advance(at);
    this.#state.seq = seq;
    this.#apply(data);
  }

  /** Lets time pass until `to`; an earlier time changes nothing. */
  advance(to: number): void {
    const state = this.#state;
    while (state.at < to) {
      // Steps are needed only while tests run. In an idle queue, days are skipped at once.
      const isWorking = this.#busy + this.#inCi > 0;
      const end = isWorking ? Math.min(to, stepStart(state.at) + stepMs) : to;
      const ms = end - state.at;
      advanceClocks(state.clocks, ms, { ...state, hasFreeSlot: this.#busy < state.slots });
      if (this.#busy > 0) this.#count("busy", this.#busy * ms);
      if (this.#inCi > 0) this.#count("ci", this.#inCi * ms);
      state.at = end;
    }
  }

  #apply(data: EventData): void {
    const state = this.#state;
    switch (data.type) {
      case "queue_created":
        return this.#configure(data.settings);
      case "queue_configured":
        return this.#configure(data.changes);
      case "queue_status_changed":
        state.status = data.to;
        state.pausesNext = data.next?.status === "paused";
        return;
      case "freeze_changed":
        state.isFrozen = data.freeze !== null;
        return;
      case "entry_admitted":
        return this.#admit(data);
      case "entry_revised":
        return this.#change(data.pr, { isUrgent: data.priority.value === 0 });
      case "entry_moved":
        return this.#move(data);
      case "entry_held":
        return this.#change(data.pr, { isHeld: true, runId: null });
      case "entry_released":
        return this.#change(data.pr, { isHeld: false });
      case "entry_delayed":
        return this.#change(data.pr, { isDelayed: true, runId: null });
      case "entry_due":
        return this.#change(data.pr, { isDelayed: false });
      case "failure_doubted":
        return this.#change(data.pr, { isDoubted: true });
      case "bisection_started":
      case "block_failed":
      case "entries_isolated":
        return this.#count("search", 1);
      case "run_started": {
        const { id, kind, members } = data.run;
        this.#changeRun(id, { kind, members, isBuilt: false, isEnded: false });
        for (const pr of members) this.#change(pr, { runId: id });
        return;
      }
      case "run_built":
        return this.#changeRun(data.runId, { isBuilt: true });
      case "run_retried":
        return this.#changeRun(data.runId, { retried: "begun" });
      case "run_retry_refused":
        return this.#changeRun(data.runId, { retried: "refused" });
      case "run_forgiven":
        return this.#changeRun(data.runId, { isForgiven: true });
      case "run_requirements_changed":
        return data.reopens ? this.#changeRun(data.runId, { isEnded: false }) : undefined;
      case "run_concluded":
        return this.#conclude(data);
      case "run_discarded":
        return this.#discard(data.runId);
    }
  }

  #configure({ batch, concurrency }: { readonly batch?: boolean; readonly concurrency?: number }): void {
    this.#state.batch = batch ?? this.#state.batch;
    this.#state.slots = concurrency ?? this.#state.slots;
  }

  #admit({ pr, priority }: EventOf<"entry_admitted">): void {
    this.#live.set(pr, beginStay(priority.value === 0, this.#state.clocks));
  }

  #move({ pr, from, to, reason }: EventOf<"entry_moved">): void {
    const again = ["testing", "tests_passed", "pending_failure"].includes(from) && to === "pending";
    if (again) this.#count(`restart ${reason.code}`, 1);
    const requeued = to === "pending" || to === "not_ready" ? { runId: null } : {};
    const suspected = to === "pending_failure" ? { isSuspect: true } : {};
    this.#change(pr, { state: to, isHeld: false, isDelayed: false, ...requeued, ...suspected });
    const stay = this.#live.get(pr);
    if (!stay || !isTerminal(to)) return;
    this.#live.delete(pr);
    this.#state.stays.push({ pr, endedAt: this.#state.at, waits: stay.waits });
    this.#count(to as "merged" | "failed" | "cancelled", 1);
    for (const wait of waits) if (stay.waits[wait] > 0) this.#count(`wait ${wait}`, stay.waits[wait]);
    if (to !== "merged") return this.#count(`left ${reason.code}`, 1);
    if (stay.isSuspect) this.#count("innocent", 1);
    if (stay.isDoubted) this.#count("flaky", 1);
    const total = waits.reduce((sum, wait) => sum + stay.waits[wait], 0);
    const step = this.#step();
    step.stays = [...step.stays, total];
  }

  #conclude({ runId, verdict, vouchedBy }: EventOf<"run_concluded">): void {
    const run = this.#runs.get(runId);
    if (!run || run.isEnded) return;
    // The verdict of another run ended this run.
    this.#count(vouchedBy === undefined ? `run ${verdict}` : "run stopped", 1);
    const isFlaky = run.retried === "begun" || run.isForgiven;
    if (verdict === "passed" && isFlaky) this.#count("flaky", 1);
    if (verdict === "failed" && run.members.length > 1)
      for (const pr of run.members) this.#change(pr, { isSuspect: true });
    this.#changeRun(runId, { isEnded: true });
    this.#release(runId, run);
  }

  #discard(runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    if (!run.isEnded) this.#count("run stopped", 1);
    this.#runs.delete(runId);
    this.#countRuns();
    this.#release(runId, run);
  }

  /** Members of an ended run that are not in test wait again from now on. */
  #release(runId: string, { members }: LiveRun): void {
    for (const pr of members) if (this.#live.get(pr)?.runId === runId) this.#change(pr, { runId: null });
  }

  #changeRun(runId: string, changes: Partial<LiveRun>): void {
    const run = { ...this.#runs.get(runId), ...changes };
    // Runs of tries and of the base have no members here.
    if (run.members === undefined) return;
    this.#runs.set(runId, run as LiveRun);
    this.#countRuns();
  }

  #countRuns(): void {
    const live = [...this.#runs.values()].filter(({ isEnded }) => !isEnded);
    this.#busy = live.filter(({ kind }) => kind === "main").length;
    this.#inCi = live.filter(({ isBuilt }) => isBuilt).length;
  }

  #change(pr: number, changes: Partial<LiveStay>): void {
    const stay = this.#live.get(pr);
    if (!stay) return;
    Object.assign(stay, changes);
    settleStay(stay, this.#state.clocks);
  }

  #count(name: CountName, by: number): void {
    const step = this.#step();
    step.counts = { ...step.counts, [name]: (step.counts[name] ?? 0) + by };
    step.slots = this.#state.slots;
  }

  #step(): Mutable<HealthStep> {
    const { steps, at, slots } = this.#state;
    const last = steps.at(-1);
    if (last?.at === stepStart(at)) return last;
    const step = { at: stepStart(at), counts: {}, stays: [], slots };
    steps.push(step);
    return step;
  }
}

function stepStart(at: number): number {
  return at - (at % stepMs);
}
