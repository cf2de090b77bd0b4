import { isTerminal } from "../../engine/model/entry.ts";
import type { Event, EventData } from "../../engine/model/event.ts";
import { observe } from "./histogram.ts";
import type { LiveEntry, LiveRun, QueueStatistics, RecentValue, WaitCause } from "./queue-statistics.ts";

const hourMs = 60 * 60_000;

/** Counts further events. The cost depends on their number only, not on earlier events. */
export function countEvents(tally: QueueStatistics, events: readonly Event[]): QueueStatistics {
  const counting = new Counting(tally);
  for (const event of events) counting.take(event);
  return counting.tally;
}

/** The tally at a time: adds waiting times until then, and drops recent values older than an hour. */
export function statisticsAt(tally: QueueStatistics, now: number): QueueStatistics {
  const counting = new Counting(tally);
  counting.waitUntil(now);
  return { ...counting.tally, recent: tally.recent.filter(({ at }) => at > now - hourMs) };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A tally under construction. It owns its maps, so that an event needs no copy. */
class Counting {
  readonly #live: Map<number, LiveEntry>;
  readonly #runs: Map<string, QueueStatistics["runs"] extends ReadonlyMap<string, infer Run> ? Run : never>;
  readonly #transitions: Map<string, number>;
  readonly #runsEnded: Map<string, number>;
  readonly #flakyRetries: Map<string, number>;
  readonly #spared: Map<string, number>;
  readonly #baseTests: Map<string, number>;
  readonly #waited: Mutable<QueueStatistics["waited"]>;
  readonly #recent: RecentValue[];
  /** The number of live entries by what they wait for, regardless of the queue's own state. */
  readonly #classes: Record<"readiness" | "line" | "predecessors" | "infrastructure" | "ci", number>;
  #rest: Mutable<
    Pick<
      QueueStatistics,
      "seq" | "at" | "status" | "batch" | "concurrency" | "tests" | "inQueue" | "treeMismatches"
    >
  >;
  #activeRuns = 0;

  constructor(tally: QueueStatistics) {
    this.#live = new Map(tally.live);
    this.#runs = new Map(tally.runs);
    this.#transitions = new Map(tally.transitions);
    this.#runsEnded = new Map(tally.runsEnded);
    this.#flakyRetries = new Map(tally.flakyRetries);
    this.#spared = new Map(tally.spared);
    this.#baseTests = new Map(tally.baseTests);
    this.#waited = { ...tally.waited };
    this.#recent = [...tally.recent];
    this.#rest = tally;
    this.#classes = { readiness: 0, line: 0, predecessors: 0, infrastructure: 0, ci: 0 };
    for (const entry of this.#live.values()) this.#classes[classOf(entry)] += 1;
    for (const run of this.#runs.values()) this.#activeRuns += activity(run);
  }

  get tally(): QueueStatistics {
    const { seq, at, status, batch, concurrency, tests, inQueue, treeMismatches } = this.#rest;
    return {
      ...{ seq, at, status, batch, concurrency, tests, inQueue, treeMismatches },
      live: this.#live,
      runs: this.#runs,
      transitions: this.#transitions,
      runsEnded: this.#runsEnded,
      flakyRetries: this.#flakyRetries,
      spared: this.#spared,
      baseTests: this.#baseTests,
      waited: this.#waited,
      recent: this.#recent.filter((value) => value.at > at - hourMs),
    };
  }

  take({ seq, at, data }: Event): void {
    this.waitUntil(at);
    this.#rest = { ...this.#rest, seq, at };
    this.#apply(data, at);
  }

  waitUntil(now: number): void {
    const { at, status, batch, concurrency } = this.#rest;
    const seconds = Math.max(0, now - at) / 1000;
    const line: WaitCause =
      status !== "running" ? "paused" : batch && this.#activeRuns < concurrency ? "batch" : "capacity";
    const { line: inLine, ...others } = this.#classes;
    this.#waited[line] += inLine * seconds;
    for (const [cause, count] of Object.entries(others)) this.#waited[cause as WaitCause] += count * seconds;
  }

  #apply(data: EventData, at: number): void {
    switch (data.type) {
      case "queue_created":
        this.#rest = {
          ...this.#rest,
          batch: data.settings.batch,
          concurrency: data.settings.concurrency,
        };
        return;
      case "queue_configured":
        this.#rest = {
          ...this.#rest,
          batch: data.changes.batch ?? this.#rest.batch,
          concurrency: data.changes.concurrency ?? this.#rest.concurrency,
        };
        return;
      case "queue_status_changed":
        this.#rest = { ...this.#rest, status: data.to };
        return;
      case "entry_admitted":
        add(this.#transitions, `none not_ready ${data.reason.code}`);
        this.#put(data.pr, {
          state: "not_ready",
          submittedAt: at,
          waitsSince: null,
          isHeld: false,
          isDelayed: false,
        });
        return;
      case "entry_moved":
        return this.#move(data, at);
      case "entry_held":
        return this.#change(data.pr, { isHeld: true });
      case "entry_released":
        return this.#change(data.pr, { isHeld: false });
      case "entry_delayed":
        return this.#change(data.pr, { isDelayed: true });
      case "entry_due":
        return this.#change(data.pr, { isDelayed: false });
      case "run_started":
        this.#runs.set(data.run.id, { kind: data.run.kind, since: at, isConcluded: false });
        this.#activeRuns += activity(data.run);
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
        if (data.outcome.stop?.kind === "tree_mismatch")
          this.#rest = { ...this.#rest, treeMismatches: this.#rest.treeMismatches + 1 };
        return;
      default:
        return;
    }
  }

  #move({ pr, from, to, reason }: Extract<EventData, { type: "entry_moved" }>, at: number): void {
    add(this.#transitions, `${from} ${to} ${reason.code}`);
    const entry = this.#live.get(pr);
    if (!entry) return;
    if (from === "testing" && to === "pending") this.#recent.push(value(at, "restart"));
    const waitsSince = to === "pending" && from === "not_ready" ? at : entry.waitsSince;
    if (to === "testing" && waitsSince !== null) this.#recent.push(value(at, "wait", at - waitsSince));
    if (!isTerminal(to)) {
      const begun = to === "testing" ? null : waitsSince;
      return this.#put(pr, { ...entry, state: to, waitsSince: begun, isHeld: false, isDelayed: false });
    }
    const inQueueMs = at - entry.submittedAt;
    this.#recent.push(value(at, to as RecentValue["what"]), value(at, "in_queue", inQueueMs));
    this.#rest = { ...this.#rest, inQueue: observe(this.#rest.inQueue, inQueueMs / 1000) };
    this.#classes[classOf(entry)] -= 1;
    this.#live.delete(pr);
  }

  #conclude(runId: string, verdict: "passed" | "failed", at: number): void {
    const run = this.#runs.get(runId);
    if (!run || run.isConcluded) return;
    this.#activeRuns -= activity(run);
    this.#runs.set(runId, { ...run, isConcluded: true });
    add(this.#runsEnded, `${run.kind} ${verdict}`);
    this.#countSpared(run, verdict);
    this.#recent.push(value(at, "test", at - run.since, run.kind));
    const { tests } = this.#rest;
    this.#rest = {
      ...this.#rest,
      tests: { ...tests, [run.kind]: observe(tests[run.kind], (at - run.since) / 1000) },
    };
  }

  #discard(runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    this.#runs.delete(runId);
    if (run.isConcluded) return;
    this.#activeRuns -= activity(run);
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
    const run = this.#runs.get(runId);
    if (run) this.#runs.set(runId, { ...run, ...changes });
  }

  #change(pr: number, changes: Partial<LiveEntry>): void {
    const entry = this.#live.get(pr);
    if (entry) this.#put(pr, { ...entry, ...changes });
  }

  #put(pr: number, entry: LiveEntry): void {
    const before = this.#live.get(pr);
    if (before) this.#classes[classOf(before)] -= 1;
    this.#classes[classOf(entry)] += 1;
    this.#live.set(pr, entry);
  }
}

function classOf({ state, isHeld, isDelayed }: LiveEntry) {
  if (state === "not_ready") return "readiness";
  if (state === "testing") return "ci";
  if (state !== "pending" || isHeld) return "predecessors";
  return isDelayed ? "infrastructure" : "line";
}

/** Whether a run occupies one of the slots that `concurrency` limits. */
function activity({ kind, isConcluded }: { kind: string; isConcluded?: boolean }): 0 | 1 {
  return kind === "main" && isConcluded !== true ? 1 : 0;
}

function value(
  at: number,
  what: RecentValue["what"],
  ms = 0,
  kind: RecentValue["kind"] = "main",
): RecentValue {
  return { at, what, kind, seconds: ms / 1000 };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
