import { decide } from "../../engine/decide.ts";
import { type Effect, effectsOf } from "../../engine/model/effect.ts";
import type { EventData, EventOf } from "../../engine/model/event.ts";
import type { Input } from "../../engine/model/input.ts";
import type { MergeAttempt } from "../../engine/model/merge-attempt.ts";
import type { Refusal } from "../../engine/model/refusal.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import { targetsOf } from "../../engine/model/targets.ts";
import type { Outcome } from "../outcome.ts";
import { Roster } from "../workload/roster.ts";
import type { Workload } from "../workload/workload.ts";
import type { CiRun, Ledger } from "./ci.ts";
import { EventHeap } from "./event-heap.ts";
import { cancellation, checksReported, commitBuilt, creation, headOf, submission } from "./messages.ts";
import { type Decide, QueueDriver } from "./queue-driver.ts";
import { Repository } from "./repository.ts";
import { SimulatedWorld } from "./simulated-world.ts";

type Happening =
  | { readonly kind: "submission"; readonly index: number }
  | { readonly kind: "cancellation"; readonly index: number }
  | { readonly kind: "commit_made"; readonly run: CiRun }
  | { readonly kind: "ci_ended"; readonly run: CiRun; readonly number: number }
  | { readonly kind: "head_looked_at"; readonly pr: number }
  | { readonly kind: "merge_made"; readonly attempt: MergeAttempt }
  | { readonly kind: "alarm" };

const minuteMs = 60_000;
/** The time that the queue adds to its tests: approximately that of the calls to the code host. */
const buildMs = 2_000;
const mergeStepMs = 1_000;
/** The time of the calls for one test and the merge after it. */
export const callMinutes = (buildMs + mergeStepMs) / minuteMs;

/** Runs the engine in virtual time, and executes its effects. */
export class EngineRun {
  readonly #roster: Roster;
  readonly #world: SimulatedWorld;
  readonly #queue: QueueDriver;
  readonly #heap = new EventHeap<Happening>();
  readonly #runs = new Map<string, CiRun>();
  /** Rejected pull requests that will be submitted again. */
  readonly #returning = new Set<number>();
  #alarmAt = Number.POSITIVE_INFINITY;
  #events = 0;

  constructor(roster: Roster, settings: QueueSettings, decide: Decide) {
    this.#roster = roster;
    this.#world = new SimulatedWorld(roster, (run, number, minutes) =>
      this.#after(minutes * minuteMs, { kind: "ci_ended", run, number }),
    );
    this.#queue = new QueueDriver(decide, this.#world.judge);
    this.#take(creation(settings, this.#world.repository.tip));
    for (const [index, { at }] of roster.workload.pullRequests.entries())
      this.#after(at * minuteMs, { kind: "submission", index });
    for (const { n, at } of roster.workload.cancellations)
      this.#after(at * minuteMs, { kind: "cancellation", index: roster.indexOf(n) });
  }

  run(): Outcome {
    const { judge, ledger, ci, repository } = this.#world;
    this.#runToTheEnd();
    judge.checkEnd(this.#queue.state);
    judge.checkTrees(repository.tree, Repository.treeOf);
    return {
      policy: "ours",
      pullRequests: ledger.pullRequests,
      broken: ledger.broken,
      runs: ledger.runs,
      ciMinutes: ci.minutes,
      events: this.#events,
      trace: this.#queue.trace,
      violations: judge.violations,
    };
  }

  #runToTheEnd(): void {
    const { judge, ledger } = this.#world;
    const patience = new Patience(ledger, this.#roster.workload);
    for (let next = this.#heap.next(); next; next = this.#heap.next()) {
      this.#queue.now = next.at;
      this.#events++;
      this.#deliver(next.event);
      if (patience.isOver(this.#queue.minutes)) return judge.stall("nothing was decided for a week");
    }
  }

  #deliver(event: Happening): void {
    switch (event.kind) {
      case "submission":
        return this.#submit(event.index);
      case "cancellation":
        return this.#cancel(event.index);
      case "commit_made":
        this.#take(commitBuilt(event.run, this.#world.repository));
        return;
      case "ci_ended":
        return this.#endRun(event.run, event.number);
      case "head_looked_at":
        return this.#examine(event.pr);
      case "merge_made":
        return this.#endMerge(event.attempt);
      case "alarm":
        return this.#ring();
    }
  }

  #submit(index: number): void {
    const { truth, ledger, judge } = this.#world;
    if (ledger.isDecided(index)) return;
    const pullRequest = this.#roster.pullRequest(index);
    const { n } = pullRequest;
    const targets = targetsOf(pullRequest.targets);
    const isBack = this.#returning.delete(index);
    if (isBack) truth.submit(index, this.#queue.minutes);
    judge.submit(n);
    this.#take(submission(pullRequest, isBack ? targets : null));
    // At the first submission the targets arrive later. At the second one they are known.
    if (!isBack) this.#take({ type: "targets_observed", pr: n, headSha: headOf(n), targets });
  }

  /** Cancels a pull request. A merged one cannot be cancelled. A rejected one is not submitted again. */
  #cancel(index: number): void {
    const { judge, ledger } = this.#world;
    const { n } = this.#roster.pullRequest(index);
    const refusal = this.#take(cancellation(n));
    if (!refusal) judge.cancel(n);
    else if (this.#returning.has(index)) ledger.end(index, "cancelled", this.#queue.minutes);
  }

  #endRun(run: CiRun, number: number): void {
    // A discarded run reports nothing.
    if (!this.#world.ci.isRunning(run)) return;
    const passed = this.#world.endRun(run, number, this.#queue.minutes);
    this.#take(checksReported(run, number, passed));
  }

  #endMerge(attempt: MergeAttempt): void {
    const { settings, merge } = this.#queue.state;
    // The merge attempt may have been called off.
    if (merge?.id !== attempt.id) return;
    const { mode } = settings;
    this.#take({ type: "merge_calling", attemptId: attempt.id, steps: attempt.steps.length });
    const outcome = this.#world.merge(attempt, mode, this.#queue.minutes);
    this.#take({ type: "merge_concluded", attemptId: attempt.id, outcome });
  }

  /** Reports that the head is not up to date: heads are older than their submission, and authors never update them. */
  #examine(pr: number): void {
    const base = this.#queue.state.entries.get(pr)?.directOnto;
    if (base === undefined) return;
    const outcome = { kind: "obstacle", obstacle: "NOT_UP_TO_DATE" } as const;
    this.#take({ type: "head_examined", pr, headSha: headOf(pr), base, outcome });
  }

  #ring(): void {
    if (this.#queue.now !== this.#alarmAt) return;
    this.#alarmAt = Number.POSITIVE_INFINITY;
    this.#take({ type: "clock" });
  }

  #take(input: Input): Refusal | null {
    const { events, refusal } = this.#queue.take(input);
    for (const { data } of events) this.#react(data);
    this.#setAlarm(input.type === "clock" && events.length === 0);
    return refusal;
  }

  #react(data: EventData): void {
    const { ci } = this.#world;
    const now = this.#queue.minutes;
    if (data.type === "run_started" || data.type === "base_test_started")
      this.#runs.set(data.run.id, this.#world.runOf(data));
    if (data.type === "entry_moved") this.#follow(data);
    const run = "runId" in data ? this.#runs.get(data.runId) : undefined;
    if ((data.type === "run_built" || data.type === "base_test_built") && run) ci.request(run, now);
    const discarded =
      data.type === "base_test_ended"
        ? data.dropped.runId
        : data.type === "run_discarded"
          ? data.runId
          : null;
    if (discarded !== null && this.#runs.delete(discarded)) ci.release(discarded, now);
    for (const effect of effectsOf(data)) this.#perform(effect);
  }

  #follow({ pr, to }: EventOf<"entry_moved">): void {
    const index = this.#roster.indexOf(pr);
    const { ledger } = this.#world;
    if (to === "cancelled") ledger.end(index, "cancelled", this.#queue.minutes);
    if (to !== "failed" || !this.#world.reject(index, this.#queue.minutes)) return;
    const { resubmitMinutes } = this.#roster.workload.settings;
    if (resubmitMinutes === Number.POSITIVE_INFINITY) return;
    this.#returning.add(index);
    this.#after(resubmitMinutes * minuteMs, { kind: "submission", index });
  }

  #perform(effect: Effect): void {
    const { merge } = this.#queue.state;
    if (effect.type === "build_test_commit" || effect.type === "build_base_test") {
      const run = this.#runs.get(effect.runId);
      if (run) this.#after(buildMs, { kind: "commit_made", run });
    }
    if (effect.type === "examine_head") this.#after(buildMs, { kind: "head_looked_at", pr: effect.pr });
    if (effect.type === "merge" && merge?.id === effect.attemptId) {
      this.#after(mergeStepMs * merge.steps.length, { kind: "merge_made", attempt: merge });
    }
  }

  /**
   * Reports a stall when the queue wakes up without effect at an overdue deadline. Such a queue would keep a service busy
   * forever.
   */
  #setAlarm(wokeInVain: boolean): void {
    const { deadline, now } = this.#queue;
    if (deadline === null) return;
    const isOverdue = deadline <= now;
    if (isOverdue && wokeInVain) this.#world.judge.stall("a deadline passed, and nothing came of it");
    const at = isOverdue ? now + (wokeInVain ? minuteMs : 1) : deadline;
    if (at >= this.#alarmAt) return;
    this.#alarmAt = at;
    this.#heap.schedule(at, { kind: "alarm" });
  }

  #after(delayMs: number, event: Happening): void {
    this.#heap.schedule(Math.round(this.#queue.now + delayMs), event);
  }
}

/** Runs a workload through Trainyard's queue. */
export function runEngine(workload: Workload, settings: QueueSettings, decideWith: Decide = decide): Outcome {
  return new EngineRun(new Roster(workload), settings, decideWith).run();
}

/** No working policy needs a week without deciding any pull request. */
const enoughMinutes = 7 * 24 * 60;

/** Detects that a policy makes no progress, for example when it rejects the same pull requests again and again. */
export class Patience {
  readonly #ledger: Ledger;
  #undecided: number;
  #progressAt: number;

  constructor(ledger: Ledger, { pullRequests }: Workload) {
    this.#ledger = ledger;
    this.#undecided = ledger.undecided;
    this.#progressAt = pullRequests.at(-1)?.at ?? 0;
  }

  /** @param now in minutes from the start */
  isOver(now: number): boolean {
    if (this.#ledger.undecided !== this.#undecided) {
      this.#undecided = this.#ledger.undecided;
      this.#progressAt = Math.max(this.#progressAt, now);
    }
    return now - this.#progressAt > enoughMinutes;
  }
}
