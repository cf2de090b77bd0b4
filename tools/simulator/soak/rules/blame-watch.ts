import type { Event } from "../../../../src/engine/model/event.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";
import type { Violations } from "../../../../src/replay/engine-run/violations.ts";

/** Judges that nobody is removed while everything may be failing: first something passes, or the base is tested. */
export class BlameWatch {
  readonly #violations: Violations;
  /** When each failed entry first failed since it last passed: the number of the event. */
  readonly #failed = new Map<number, number>();
  #passed = 0;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  check(before: QueueState, { seq, data }: Event): void {
    if ((data.type === "run_concluded" || data.type === "base_test_ended") && data.verdict === "passed")
      this.#passed = seq;
    if (data.type !== "entry_moved") return;
    const { pr, to, reason } = data;
    const first = this.#failed.get(pr);
    if (to === "pending_failure") this.#failed.set(pr, first ?? seq);
    else if (to !== "pending" && to !== "testing" && to !== "not_ready") this.#failed.delete(pr);
    const isFault = reason.code === "CHECKS_FAILED" || reason.code === "TESTING_TIMEOUT";
    if (to !== "failed" || !isFault || first === undefined || first < this.#passed) return;
    if (waitsForEvidence(before))
      this.#violations.add("I27", `#${pr} is removed, although nothing has passed since it first failed`);
  }
}

function waitsForEvidence(state: QueueState): boolean {
  const { settings, status, history } = state;
  if (settings.policy === "fixed" || policyOf(state).name !== "fixed") return false;
  if (status !== "running" && status !== "paused") return false;
  return history.baseFinding === null && history.uselessBaseTests < 3;
}
