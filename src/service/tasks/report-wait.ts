import type { Wait, WaitCode } from "../../engine/model/order/delay.ts";
import type { CodeHostErrorKind } from "../../ports/code-host/code-host.ts";
import type { OutboxRow } from "../../store/leased/outbox.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { isCodeHostFailure, messageOf } from "../workers/retry.ts";

const codes: Readonly<Record<CodeHostErrorKind, WaitCode>> = {
  unavailable: "GITHUB_UNAVAILABLE",
  busy: "GITHUB_BUSY",
  rate_limited: "GITHUB_LIMITS_US",
  review_unknown: "REVIEW_UNKNOWN",
  denied: "GITHUB_DENIES",
  not_found: "GITHUB_DENIES",
  invalid: "GITHUB_DENIES",
};

/**
 * Reports to the engine why a test commit or a merge must wait, so that people can see it. Other tasks report
 * nothing.
 */
export class WaitReporter {
  readonly #runtime: QueueRuntime;

  constructor(runtime: QueueRuntime) {
    this.#runtime = runtime;
  }

  async report({ task, failures }: OutboxRow, error: unknown, until: number): Promise<void> {
    const code = isCodeHostFailure(error) ? codes[error.kind] : "INTERNAL_ERROR";
    // A short disturbance is usually over at the second attempt.
    if (code === "GITHUB_UNAVAILABLE" && failures === 0) return;
    const wait: Wait = { code, message: messageOf(error), until };
    if (task.type === "build_test_commit")
      await this.#record(task.queueId, { work: "build", id: task.runId, wait });
    if (task.type === "merge") await this.#record(task.queueId, { work: "merge", id: task.attemptId, wait });
  }

  async #record(queueId: string, what: { work: "build" | "merge"; id: string; wait: Wait }): Promise<void> {
    await this.#runtime.dispatch(queueId, { type: "work_postponed", ...what });
  }
}
