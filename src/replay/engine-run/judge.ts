import type { Decided } from "../../engine/decide.ts";
import { evolve } from "../../engine/evolve.ts";
import type { EventData } from "../../engine/model/event.ts";
import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import { merges, noQueue, type QueueState, startsTests } from "../../engine/model/queue.ts";
import { serializeState } from "../../engine/snapshot.ts";
import type { Roster } from "../workload/roster.ts";
import type { Truth } from "../workload/truth.ts";
import type { CiRun } from "./ci.ts";
import { headOf } from "./messages.ts";
import { Proofs, RedRuns } from "./proofs.ts";
import { EntryWatch, RunWatch, Violations } from "./watches.ts";

/** Knows the truth, observes every step, and reports violations of the engine's invariants. */
export class Judge {
  readonly #roster: Roster;
  readonly #truth: Truth;
  readonly #violations = new Violations();
  readonly #entries: EntryWatch;
  readonly #runs: RunWatch;
  readonly #proofs: Proofs;
  readonly #reds = new RedRuns();
  /** The fold of the event log. */
  #folded: QueueState = noQueue;

  constructor(roster: Roster, truth: Truth) {
    this.#roster = roster;
    this.#truth = truth;
    this.#entries = new EntryWatch(this.#violations);
    this.#runs = new RunWatch(this.#violations);
    this.#proofs = new Proofs(roster);
  }

  get violations(): readonly string[] {
    return this.#violations.texts;
  }

  check(before: QueueState, { events, state }: Decided): void {
    for (const event of events) {
      this.#entries.follow(event.data);
      this.#runs.follow(event.data);
      this.#checkFailure(event.data);
      this.#folded = evolve(this.#folded, event);
    }
    this.#runs.checkCaps(state.settings);
    this.#checkStatus(
      before,
      events.map(({ data }) => data),
    );
  }

  /** Judges a repeated observation, which must not change anything. */
  checkRepetition(what: string, { events }: Decided): void {
    const [first] = events;
    if (!first) return;
    const { data } = first;
    const why = "reason" in data ? ` (${data.reason.code})` : "";
    this.#violations.add("I17", `${what}, seen a second time, led to ${data.type}${why}`);
  }

  /** @param validated the pull requests that the run has proved good on its tree */
  pass(run: CiRun, validated: readonly number[]): void {
    this.#proofs.pass(run, validated);
  }

  fail(run: CiRun, flaked: boolean): void {
    this.#reds.fail(run, flaked);
  }

  breakBase(index: number): void {
    this.#reds.breakBase(index);
  }

  /** Judges a merge just before it is performed. */
  checkMerge(index: number, step: MergeStep, mode: "single" | "parallel"): void {
    const name = `#${step.pr}`;
    if (step.headSha !== headOf(step.pr))
      this.#violations.add("I3", `${name} merged with the head ${step.headSha}`);
    if (this.#proofs.isMerged(index)) this.#violations.add("I4", `${name} merged a second time`);
    this.#entries.checkMerge(step.pr);
    if (!this.#proofs.allow(index, mode)) {
      this.#violations.add("I1", `${name} merged, but no test that passed contains what it merged onto`);
    }
    this.#proofs.merge(index);
    this.#reds.forget(index);
  }

  checkBase(expected: string, actual: string): void {
    if (expected !== actual)
      this.#violations.add("I2", `a merge expects ${expected}, but the base is ${actual}`);
  }

  checkTree(pr: number, expected: string, actual: string): void {
    if (expected === actual) return;
    this.#violations.add("I1", `#${pr} merged with the tree ${actual}, but ${expected} was tested`);
  }

  submit(pr: number): void {
    this.#reds.forget(this.#roster.indexOf(pr));
    this.#entries.submit(pr);
  }

  /** Records that a cancel was accepted. */
  cancel(pr: number): void {
    this.#entries.cancel(pr);
  }

  stall(what: string): void {
    this.#violations.add("I18", what);
  }

  checkEnd(state: QueueState): void {
    for (const { pr, state: left, reason } of state.entries.values()) {
      this.#violations.add("I18", `#${pr} never ended: it is ${left} because of ${reason.code}`);
    }
    if (state.entries.size === 0 && state.runs.size > 0) {
      this.#violations.add("I18", `${state.runs.size} runs are left over`);
    }
    if (serializeState(this.#folded) !== serializeState(state)) {
      this.#violations.add("I16", "the state is not the fold of its log");
    }
  }

  /** Judges the final tree of the base. */
  checkTrees(actual: string, treeOf: (prs: Iterable<number>) => string): void {
    const survivors = this.#proofs.mergedInOrder.map((index) => this.#numberOf(index));
    if (treeOf(survivors) !== actual)
      this.#violations.add("I20", "the base is not the survivors, merged one by one");
  }

  #checkFailure(data: EventData): void {
    if (data.type !== "entry_moved" || data.to !== "failed" || data.reason.code !== "CHECKS_FAILED") return;
    const index = this.#roster.indexOf(data.pr);
    if (this.#truth.isBad(index) || this.#reds.excuse(index)) return;
    this.#violations.add("I13", `#${data.pr} failed, but it is good, and no run that contained it flaked`);
  }

  #checkStatus(before: QueueState, data: readonly EventData[]): void {
    if (data.some(({ type }) => type === "queue_status_changed")) return;
    if (!startsTests(before.status) && data.some(({ type }) => type === "run_started")) {
      this.#violations.add("I14", `a test started while the queue was ${before.status}`);
    }
    if (!merges(before) && data.some(({ type }) => type === "merge_started")) {
      this.#violations.add("I14", `a merge was ordered while the queue was ${before.status}`);
    }
  }

  #numberOf(index: number): number {
    return this.#roster.pullRequest(index).n;
  }
}
