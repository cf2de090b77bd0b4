import type { Event } from "../../../../src/engine/model/event.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";

const mostDoubts = 3;

/** Judges that nobody is removed while everything may be failing: something passes between the first failure and the last one. */
export class BlameWatch {
  readonly #violations: Violations;
  /** When each failed entry first failed since it last passed: the number of the event. */
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
