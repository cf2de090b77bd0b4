import type { Event, EventData } from "../../../../src/engine/model/event.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import type { TestRun } from "../../../../src/engine/model/test-run.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";

const mostDoubts = 3;

/** Judges that nobody is removed while everything may be failing: something must pass between the first failure and the last one. */
export class BlameWatch {
  readonly #violations: Violations;
  /** For each failed entry, the number of the event of its first failure since it last passed. */
  readonly #failed = new Map<number, number>();
  /** The entries with a pass between two of their failures. */
  readonly #failedSeparately = new Set<number>();
  #passed = 0;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  check(before: QueueState, { seq, data }: Event): void {
    const isLine = policyOf(before).name === "fixed";
    if ((data.type === "run_concluded" || data.type === "base_test_ended") && data.verdict === "passed")
      this.#passed = seq;
    if (data.type === "run_concluded" && data.verdict === "failed" && !isLine) {
      const { ahead = [], members = [] } = before.runs.get(data.runId) ?? {};
      for (const pr of [...ahead, ...members]) this.#fail(pr, seq);
    }
    if (data.type !== "entry_moved") return;
    const { pr, to } = data;
    if (to === "pending_failure" && isLine) this.#fail(pr, seq);
    if (to === "pending_failure" || to === "pending" || to === "testing" || to === "not_ready") return;
    this.#judge(before, data);
    this.#failed.delete(pr);
    this.#failedSeparately.delete(pr);
  }

  #fail(pr: number, seq: number): void {
    const first = this.#failed.get(pr);
    if (first === undefined) this.#failed.set(pr, seq);
    else if (first < this.#passed) this.#failedSeparately.add(pr);
  }

  #judge(before: QueueState, { pr, to, reason }: Extract<Event["data"], { type: "entry_moved" }>): void {
    const isFault = reason.code === "CHECKS_FAILED" || reason.code === "TESTING_TIMEOUT";
    const first = this.#failed.get(pr);
    if (to !== "failed" || !isFault || first === undefined || this.#failedSeparately.has(pr)) return;
    const isProved = isOneFailureEnough(before, pr) && first < this.#passed;
    if (!isProved && waitsForEvidence(before))
      this.#violations.add("I27", `#${pr} is removed, although nothing has passed between its failures`);
  }
}

/** With one slot, the policy `beliefs` decides at the first failure. So does a line, after it has doubted three failures of an entry. */
function isOneFailureEnough(state: QueueState, pr: number): boolean {
  const { mode, concurrency, batch } = state.settings;
  if (policyOf(state).name === "fixed") return (state.entries.get(pr)?.doubts ?? 0) >= mostDoubts;
  return mode === "single" && concurrency === 1 && !batch;
}

function waitsForEvidence(state: QueueState): boolean {
  const { settings, status, history } = state;
  if (settings.policy === "fixed") return false;
  if (status !== "running" && status !== "paused") return false;
  return history.baseFinding === null && history.uselessBaseTests < 3;
}

/** How often a failure in known flakes leads to a retest instead of an eviction, while a culprit is searched (ADR 34). */
const mostRetests = 2;

/** Judges the handling of failures in which only tests failed that are known to be flaky: I21. */
export class FlakeWatch {
  readonly #violations: Violations;
  /** For each run, whether its last report said that known flakes explain the failure. */
  readonly #explained = new Map<string, boolean>();
  readonly #attempts = new Map<string, number>();
  readonly #refused = new Set<string>();
  /** How often each entry was requeued because of runs that say nothing about it. */
  readonly #retests = new Map<number, number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** Call this before the queue observes that a run's tests failed. */
  report(runId: string, explained: boolean): void {
    this.#explained.set(runId, explained);
  }

  /** Call this before the queue observes that a run's failed checks cannot be re-run. */
  refuse(runId: string): void {
    this.#refused.add(runId);
  }

  isExplained(runId: string): boolean {
    return this.#explained.get(runId) ?? false;
  }

  follow(before: QueueState, data: EventData): void {
    if (data.type === "entry_admitted") this.#retests.delete(data.pr);
    if (data.type === "entry_delayed" && data.brokenRuns !== undefined) this.#countAnew(data.pr);
    if (data.type === "run_retried") this.#checkRetry(before, data);
    if (data.type === "run_retry_refused" && !this.#refused.has(data.runId))
      this.#violations.add("I21", `run ${data.runId} gave up a retry that nobody refused`);
    if (data.type === "run_concluded" && data.verdict === "failed" && data.reason.code === "CHECKS_FAILED")
      this.#checkFailure(before, data.runId);
  }

  #countAnew(pr: number): void {
    const times = (this.#retests.get(pr) ?? 0) + 1;
    this.#retests.set(pr, times);
    if (times > mostRetests) this.#violations.add("I21", `#${pr} is tested again for the ${times}th time`);
  }

  #checkRetry({ settings, runs }: QueueState, data: Extract<EventData, { type: "run_retried" }>): void {
    const { runId, attempt } = data;
    const wrong = (what: string) => this.#violations.add("I21", `retry ${attempt} of run ${runId}: ${what}`);
    if (attempt > settings.flakyRetries) wrong(`at most ${settings.flakyRetries} are allowed`);
    if (attempt !== (this.#attempts.get(runId) ?? 0) + 1) wrong("it is not the next one");
    if (!this.isExplained(runId)) wrong("what failed is not explained by known flakes");
    if (this.#refused.has(runId)) wrong("one was refused");
    if (runs.get(runId)?.state !== "running") wrong("it is not being tested");
    this.#attempts.set(runId, attempt);
  }

  /** A failure in known flakes is final only when there is nothing left to try. */
  #checkFailure(before: QueueState, runId: string): void {
    const { settings, runs } = before;
    const run = runs.get(runId);
    // If nothing can be re-run, failures count as if the flakes were unknown.
    if (!run || !this.isExplained(runId) || settings.flakyRetries === 0 || this.#refused.has(runId)) return;
    const attempts = this.#attempts.get(runId) ?? 0;
    if (attempts < settings.flakyRetries)
      this.#violations.add("I21", `run ${runId} failed in known flakes after ${attempts} retries`);
    const policy = policyOf(before);
    if (policy.name === "fixed" && run.kind !== "bisection") return;
    if (!policy.decidesAbout(before, run).some((pr) => (this.#retests.get(pr) ?? 0) >= mostRetests))
      this.#violations.add("I21", `run ${runId} evicts ${nameAll(run)} for known flakes`);
  }
}

function nameAll({ members }: TestRun): string {
  return members.map((pr) => `#${pr}`).join(", ");
}
