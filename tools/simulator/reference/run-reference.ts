import { Ledger } from "../../../src/replay/engine-run/ci.ts";
import { Patience } from "../../../src/replay/engine-run/engine-run.ts";
import { EventHeap } from "../../../src/replay/engine-run/event-heap.ts";
import { TraceHash } from "../../../src/replay/engine-run/queue-driver.ts";
import type { Outcome } from "../../../src/replay/outcome.ts";
import { Roster } from "../../../src/replay/workload/roster.ts";
import { Truth } from "../../../src/replay/workload/truth.ts";
import type { Workload, WorkloadSettings } from "../../../src/replay/workload/workload.ts";
import { type ReferencePolicyName, referencePolicies } from "./policies.ts";

type Happening =
  | { readonly kind: "arrival"; readonly index: number }
  | { readonly kind: "cancellation"; readonly index: number }
  | { readonly kind: "end"; readonly run: ReferenceRun }
  | { readonly kind: "wake" };

/** The risk of a pull request for a policy without a predictor. */
const unknownRisk = 0.05;

/**
 * Runs a workload through a reference policy.
 * @param callMinutes time of the calls to the code host for each test and the merge after it
 */
export function runReference(workload: Workload, name: ReferencePolicyName, callMinutes = 0): Outcome {
  const world = new ReferenceWorld(new Roster(workload), callMinutes);
  world.run(referencePolicies[name](world));
  return world.outcome(name);
}

class ReferenceWorld implements ReferenceQueue {
  now = 0;
  freeWorkers: number;
  readonly #roster: Roster;
  readonly #settings: WorkloadSettings;
  readonly #truth: Truth;
  readonly #ledger: Ledger;
  readonly #heap = new EventHeap<Happening>();
  readonly #running = new Set<ReferenceRun>();
  readonly #trace = new TraceHash();
  readonly #callMinutes: number;
  #events = 0;

  constructor(roster: Roster, callMinutes: number) {
    this.#roster = roster;
    this.#callMinutes = callMinutes;
    this.#settings = roster.workload.settings;
    this.#truth = new Truth(roster);
    this.#ledger = new Ledger(roster);
    this.freeWorkers = this.#settings.workers;
    for (const [index, { at }] of roster.workload.pullRequests.entries())
      this.#heap.schedule(at, { kind: "arrival", index });
    for (const { n, at } of roster.workload.cancellations)
      this.#heap.schedule(at, { kind: "cancellation", index: roster.indexOf(n) });
  }

  get workers(): number {
    return this.#settings.workers;
  }

  run(policy: ReferencePolicy): void {
    const patience = new Patience(this.#ledger, this.#roster.workload);
    for (let next = this.#heap.next(); next; next = this.#heap.next()) {
      const { at, event } = next;
      if (event.kind === "end" && !this.#running.has(event.run)) continue;
      this.now = at;
      this.#events++;
      this.#deliver(policy, event);
      policy.act();
      if (patience.isOver(at)) return;
    }
  }

  outcome(policy: string): Outcome {
    const { broken, runs, ciMinutes, pullRequests, undecided } = this.#ledger;
    return {
      policy,
      pullRequests,
      broken,
      runs,
      ciMinutes,
      events: this.#events,
      trace: this.#trace.digest(),
      violations: undecided === 0 ? [] : [`${undecided} pull requests were never decided`],
    };
  }

  neighboursOf(index: number): Int32Array {
    return this.#roster.neighbourhood.of(index);
  }

  riskOf(index: number): number {
    return this.#roster.pullRequest(index).risk ?? unknownRisk;
  }

  isBad(index: number): boolean {
    return this.#truth.isBad(index);
  }

  start(members: readonly number[], tree: readonly number[]): ReferenceRun {
    if (this.freeWorkers === 0) throw new Error("no worker is free");
    this.freeWorkers--;
    this.#ledger.start(tree);
    const number = this.#ledger.runs;
    const run: ReferenceRun = { number, members, tree, startedAt: this.now, baseSize: this.#truth.baseSize };
    this.#running.add(run);
    const tested = this.#settings.scope === "tree" ? tree : members;
    const longest = tested.reduce((most, index) => Math.max(most, this.#roster.minutes[index] ?? 0), 0);
    const minutes = longest * this.#truth.durationFactor(number) + this.#callMinutes;
    this.#heap.schedule(this.now + minutes, { kind: "end", run });
    return run;
  }

  discard(run: ReferenceRun): void {
    if (!this.#running.delete(run)) return;
    this.freeWorkers++;
    this.#ledger.ciMinutes += this.now - run.startedAt;
  }

  merge(index: number): void {
    if (this.#ledger.isDecided(index)) return;
    if (this.#truth.merge(index, this.now)) this.#ledger.broken++;
    this.#ledger.end(index, "merged", this.now);
    this.#trace.add(`merge ${index} ${this.now}`);
  }

  reject(index: number): void {
    if (this.#ledger.isDecided(index)) return;
    this.#trace.add(`reject ${index} ${this.now}`);
    if (this.#truth.isBad(index)) return this.#ledger.end(index, "rejected", this.now);
    this.#ledger.rejectFalsely(index);
    this.#heap.schedule(this.now + this.#settings.resubmitMinutes, { kind: "arrival", index });
  }

  wakeAt(at: number): void {
    this.#heap.schedule(at, { kind: "wake" });
  }

  #deliver(policy: ReferencePolicy, event: Happening): void {
    switch (event.kind) {
      case "arrival":
        if (this.#ledger.isDecided(event.index)) return;
        this.#truth.submit(event.index, this.now);
        return policy.arrive(event.index);
      case "cancellation":
        return this.#cancel(event.index);
      case "end":
        this.discard(event.run);
        return policy.finish(event.run, policy.foresees === true || this.#passes(event.run));
      case "wake":
        return;
    }
  }

  /** Cancels a pull request. These policies do not support that, so it stays in their trees, but neither merges nor counts. */
  #cancel(index: number): void {
    const isSubmitted = this.#roster.pullRequest(index).at <= this.now;
    if (isSubmitted) this.#ledger.end(index, "cancelled", this.now);
  }

  #passes(run: ReferenceRun): boolean {
    return this.#truth.passes(run.tree, run.baseSize) && !this.#truth.flakes(run.number, this.now);
  }
}

/** A test run of a reference policy: the base at the start of the run, plus a tree. Pull requests are indices. */
export interface ReferenceRun {
  readonly number: number;
  /** The pull requests that it decides about. */
  readonly members: readonly number[];
  /** All unmerged pull requests that it tests, including the members. */
  readonly tree: readonly number[];
  readonly startedAt: number;
  readonly baseSize: number;
}

/** A merge queue policy, as a small model for comparison. */
export interface ReferencePolicy {
  /** Whether it knows every outcome, so that no run of it flakes. */
  readonly foresees?: boolean;
  /** A pull request was submitted, or submitted again. */
  arrive(index: number): void;
  finish(run: ReferenceRun, passed: boolean): void;
  /** Starts the runs that can be started now. Called after every event. */
  act(): void;
}

/** The information and operations of a policy. A policy no longer handles pull requests that it rejected or merged. */
export interface ReferenceQueue {
  /** In minutes. */
  readonly now: number;
  readonly workers: number;
  readonly freeWorkers: number;
  /** Pull requests that share a target with it, ascending. */
  neighboursOf(index: number): Int32Array;
  /** The probability of being bad, by a predictor. Without a predictor the same for all. */
  riskOf(index: number): number;
  /** The truth, for policies that may know it. */
  isBad(index: number): boolean;
  /** Starts a run. A worker must be free. */
  start(members: readonly number[], tree: readonly number[]): ReferenceRun;
  discard(run: ReferenceRun): void;
  merge(index: number): void;
  reject(index: number): void;
  /** Requests an additional `act` at that time. */
  wakeAt(at: number): void;
}
