import { isTerminal } from "../../engine/model/entry.ts";
import type { Event, EventOf } from "../../engine/model/event.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import { observe } from "./histogram.ts";
import type { LiveRun, LiveState, RecentCount, RecentStep, RecentTime, Tally, WaitCause } from "./tally.ts";

const hourMs = 60 * 60_000;
const stepMs = 5 * 60_000;

/** Counts further events, which lead from one state to the other. The cost depends only on their number. */
export function countEvents(
  tally: Tally,
  before: QueueState,
  events: readonly Event[],
  after: QueueState,
): Tally {
  const counting = new Counting(tally, before);
  for (const event of events) counting.take(event);
  return counting.end(after);
}

/** The tally at a time: adds waiting times until then, and drops the steps that began more than an hour ago. */
export function tallyAt(tally: Tally, now: number): Tally {
  return { ...tally, waited: waitedUntil(tally, now), recent: recentAt(tally, now) };
}

function waitedUntil({ at, waited, waiting }: Pick<Tally, "at" | "waited" | "waiting">, now: number) {
  const seconds = Math.max(0, now - at) / 1000;
  const sum = (cause: WaitCause) => waited[cause] + waiting[cause] * seconds;
  return Object.fromEntries(
    (Object.keys(waited) as WaitCause[]).map((cause) => [cause, sum(cause)]),
  ) as Record<WaitCause, number>;
}

function recentAt({ recent }: Pick<Tally, "recent">, now: number): Tally["recent"] {
  return recent.filter(({ at }) => at > now - hourMs);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Counter = Mutable<Tally["transitions"]>;

/** A tally under construction. It owns its counts, so that an event needs no copy. */
class Counting {
  readonly #tally: Mutable<Tally>;
  readonly #before: QueueState;
  readonly #states: Mutable<Tally["states"]>;
  readonly #runs: Record<string, LiveRun>;
  readonly #restarted: Set<number>;
  readonly #submitted: Counter;
  readonly #transitions: Counter;
  readonly #runsEnded: Counter;
  readonly #flakyRetries: Counter;
  readonly #spared: Counter;
  readonly #baseTests: Counter;

  constructor(tally: Tally, before: QueueState) {
    this.#tally = { ...tally };
    this.#before = before;
    this.#states = { ...tally.states };
    this.#runs = { ...tally.runs };
    this.#restarted = new Set(tally.restarted);
    this.#submitted = { ...tally.submitted };
    this.#transitions = { ...tally.transitions };
    this.#runsEnded = { ...tally.runsEnded };
    this.#flakyRetries = { ...tally.flakyRetries };
    this.#spared = { ...tally.spared };
    this.#baseTests = { ...tally.baseTests };
  }

  end(after: QueueState): Tally {
    const { at } = this.#tally;
    return {
      ...this.#tally,
      states: this.#states,
      waiting: this.#waiting(after),
      activeRuns: after.runIndex.active,
      nothingPasses: after.history.redSince !== null,
      isStalled: after.stall !== null,
      runs: this.#runs,
      restarted: [...this.#restarted].sort((a, b) => a - b),
      submitted: this.#submitted,
      transitions: this.#transitions,
      runsEnded: this.#runsEnded,
      flakyRetries: this.#flakyRetries,
      spared: this.#spared,
      baseTests: this.#baseTests,
      recent: recentAt(this.#tally, at),
    };
  }

  take({ seq, at, data }: Event): void {
    if (at !== this.#tally.at) this.#tally.waited = waitedUntil(this.#tally, at);
    this.#tally.seq = seq;
    this.#tally.at = at;
    switch (data.type) {
      case "entry_admitted":
        add(this.#transitions, `none not_ready ${data.reason.code}`);
        this.#states.not_ready += 1;
        return;
      case "entry_moved":
        return this.#move(data, at);
      case "run_started":
        this.#runs[data.run.id] = { kind: data.run.kind, since: at, isConcluded: false };
        return;
      case "run_retried":
        return this.#changeRun(data.runId, { retried: "begun" });
      case "run_retry_refused":
        return this.#changeRun(data.runId, { retried: "refused" });
      case "run_forgiven":
        return this.#changeRun(data.runId, { isForgiven: true });
      case "run_concluded":
        return this.#conclude(data.runId, data.verdict, at);
      case "run_discarded":
        return this.#discard(data.runId);
      case "base_test_ended":
        return add(this.#baseTests, data.verdict);
      case "merge_ended":
        if (data.outcome.stop?.kind === "tree_mismatch") this.#tally.treeMismatches += 1;
        return;
      default:
        return;
    }
  }

  /** `at` is also the time of admission of an entry that did not exist before the events. */
  #move({ pr, from, to, reason }: EventOf<"entry_moved">, at: number): void {
    add(this.#transitions, `${from} ${to} ${reason.code}`);
    const entry = this.#before.entries.get(pr);
    this.#states[from as LiveState] -= 1;
    if (from === "testing" && to === "pending") this.#addRecent(at, "restart");
    if (from === "pending" && to === "testing" && !this.#restarted.has(pr))
      this.#addTime(at, "wait", at - (entry?.stateChangedAt ?? at));
    if (to === "pending" && from !== "not_ready") this.#restarted.add(pr);
    else this.#restarted.delete(pr);
    const submittedAt = this.#submitted[pr] ?? entry?.submittedAt ?? at;
    if (reason.code === "PLACE_LOST") this.#submitted[pr] = submittedAt;
    if (!isTerminal(to)) {
      this.#states[to as LiveState] += 1;
      return;
    }
    delete this.#submitted[pr];
    const inQueueMs = at - submittedAt;
    this.#addRecent(at, to as RecentCount);
    this.#addTime(at, "in_queue", inQueueMs);
    this.#tally.inQueue = observe(this.#tally.inQueue, inQueueMs / 1000);
  }

  #conclude(runId: string, verdict: "passed" | "failed", at: number): void {
    const run = this.#runs[runId];
    if (!run || run.isConcluded) return;
    this.#runs[runId] = { ...run, isConcluded: true };
    add(this.#runsEnded, `${run.kind} ${verdict}`);
    this.#countSpared(run, verdict);
    this.#addTime(at, `test ${run.kind}`, at - run.since);
    const { tests } = this.#tally;
    this.#tally.tests = { ...tests, [run.kind]: observe(tests[run.kind], (at - run.since) / 1000) };
  }

  #discard(runId: string): void {
    const run = this.#runs[runId];
    if (!run) return;
    delete this.#runs[runId];
    if (run.isConcluded) return;
    add(this.#runsEnded, `${run.kind} cancelled`);
    this.#countSpared(run, "cancelled");
  }

  #countSpared({ kind, retried, isForgiven }: LiveRun, outcome: "passed" | "failed" | "cancelled"): void {
    const result = retried === "refused" ? retried : outcome;
    if (retried) add(this.#flakyRetries, `${kind} ${result}`);
    if (outcome !== "passed") return;
    if (retried) add(this.#spared, `${kind} retried`);
    else if (isForgiven) add(this.#spared, `${kind} quarantined`);
  }

  #changeRun(runId: string, changes: Partial<LiveRun>): void {
    const run = this.#runs[runId];
    if (run) this.#runs[runId] = { ...run, ...changes };
  }

  #waiting({ status, settings, runIndex, held, delayed }: QueueState): Tally["waiting"] {
    const { not_ready, pending, testing, tests_passed, pending_failure } = this.#states;
    const hasSlot = settings.batch && runIndex.active.main < settings.concurrency;
    const cause = status !== "running" ? "paused" : hasSlot ? "batch" : "capacity";
    return {
      ...{ paused: 0, batch: 0, capacity: 0, readiness: not_ready, ci: testing },
      predecessors: tests_passed + pending_failure + held.size,
      infrastructure: delayed.size,
      [cause]: pending - held.size - delayed.size,
    };
  }

  #addRecent(at: number, what: RecentCount): void {
    this.#changeStep(at, ({ counts, ...step }) => ({
      ...step,
      counts: { ...counts, [what]: (counts[what] ?? 0) + 1 },
    }));
  }

  #addTime(at: number, what: RecentTime, ms: number): void {
    this.#changeStep(at, ({ times, ...step }) => ({
      ...step,
      times: { ...times, [what]: observe(times[what] ?? { counts: [], sum: 0 }, ms / 1000) },
    }));
  }

  #changeStep(at: number, change: (step: RecentStep) => RecentStep): void {
    const begin = at - (at % stepMs);
    const { recent } = this.#tally;
    const last = recent.at(-1);
    // A clock that goes back adds to the last step.
    if (last && last.at >= begin) this.#tally.recent = [...recent.slice(0, -1), change(last)];
    else this.#tally.recent = [...recent, change({ at: begin, counts: {}, times: {} })];
  }
}

function add(counts: Counter, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
