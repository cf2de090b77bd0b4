import type { EventOf } from "../../../../src/engine/model/event.ts";
import { baseTip, type QueueState } from "../../../../src/engine/model/queue.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";
import type { CodeHost, Content } from "../code-host.ts";

/** Names of the checks of a test run that have not passed yet. */
interface CheckNames {
  readonly missing: readonly string[];
  readonly pending: readonly string[];
}

/** Judges whether failures were justified. */
export class FailureWatch {
  readonly #violations: Violations;
  readonly #host: CodeHost;
  /** Heads that were in a run that failed without cause. */
  readonly #unlucky = new Set<string>();
  readonly #open = new Map<string, CheckNames>();

  constructor(violations: Violations, host: CodeHost) {
    this.#violations = violations;
    this.#host = host;
  }

  /** Records a run that failed without cause. Any head in it may be blamed wrongly. */
  flake(content: Content): void {
    for (const item of content) this.#unlucky.add(item);
  }

  /** Records the open checks that the queue knows of a run. */
  report(runId: string, open: CheckNames): void {
    this.#open.set(runId, open);
  }

  check(before: QueueState, data: EventOf<"entry_moved">, at: number): void {
    const { pr, to, reason } = data;
    const item = before.entries.get(pr)?.headSha ?? "";
    const tip = baseTip(before) ?? "";
    const isLine = policyOf(before).name === "fixed";
    if (to === "failed" && reason.code === "CHECKS_FAILED" && !this.#unlucky.has(item)) {
      const content = [...this.#testedUnder(before, pr, tip), item];
      if (this.#host.isGreen(content)) this.#violations.add("I13", `#${pr} failed, but [${content}] is good`);
    }
    if (
      to === "failed" &&
      (reason.code === "MERGE_CONFLICT_WITH_BASE" || reason.code === "EMPTY_PULL_REQUEST")
    ) {
      const { kind } = this.#host.build({ id: "", base: tip, ahead: [], members: [pr] }, () => item);
      if (kind === "built")
        this.#violations.add("I13", `#${pr} failed because of ${reason.code}, but can be built`);
    }
    if (to === "pending_failure" && reason.code === "TESTING_TIMEOUT" && isLine)
      this.#checkTimeout(before, data, at);
  }

  /** A retested pull request is judged on the base of its test, so later merges do not save it. */
  #testedUnder(before: QueueState, pr: number, tip: string): Content {
    const entry = before.entries.get(pr);
    const run = before.runs.get(entry?.runId ?? "");
    return this.#host.contentOf(entry?.doubted !== undefined && run?.parentSha ? run.parentSha : tip);
  }

  #checkTimeout(before: QueueState, { pr, reason }: EventOf<"entry_moved">, at: number): void {
    const run = before.runs.get(before.entries.get(pr)?.runId ?? "");
    if (!run || reason.code !== "TESTING_TIMEOUT") return;
    const open = this.#open.get(run.id) ?? { missing: run.required.map(({ name }) => name), pending: [] };
    const names = ({ missing, pending }: CheckNames) =>
      JSON.stringify([missing.toSorted(), pending.toSorted()]);
    // What is open after a change of the required checks is known only to the queue.
    if (!run.changed && names(open) !== names(reason))
      this.#violations.add(
        "I13",
        `the time-out of #${pr} names ${names(reason)}, but ${names(open)} is open`,
      );
    if (run.deadline === null || at < run.deadline)
      this.#violations.add("I13", `#${pr} timed out before its deadline`);
  }
}
