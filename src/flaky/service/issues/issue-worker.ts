import type { Clock, Logger } from "../../../ports/code-host/runtime.ts";
import { LeasedWorker } from "../../../service/workers/leased-worker.ts";
import { PeriodicTask } from "../../../service/workers/periodic-task.ts";
import type { DueIssue, TestIssueStore } from "../../store/quarantines/test-issue-store.ts";
import type { TestSettingsStore } from "../../store/quarantines/test-settings-store.ts";
import type { TestIssues } from "./test-issues.ts";

export interface IssueWorkerParts {
  readonly issues: TestIssueStore;
  readonly settings: Pick<TestSettingsStore, "rules">;
  readonly testIssues: Pick<TestIssues, "execute">;
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseMs: number;
}

/** The maximum number of issues opened per hour for one repository; the rest wait. */
const mostInAnHour = 10;
/** The interval at which issues that wait for their hour, or that another replica has planned, are found. */
const everyMs = 60_000;
/** How long a repository that refuses issues is skipped. */
const refusedForMs = 24 * 60 * 60_000;

/**
 * Plans which issues are due, and writes them one at a time, as the code host requires of clients that write.
 */
export class IssueWorker {
  readonly #parts: IssueWorkerParts;
  readonly #worker: LeasedWorker<DueIssue>;
  readonly #planning: PeriodicTask;

  constructor(parts: IssueWorkerParts) {
    this.#parts = parts;
    const { issues, testIssues, owner, clock, log, leaseMs } = parts;
    this.#worker = new LeasedWorker({
      name: "issues",
      owner,
      rows: {
        claim: (claim) => issues.claim(claim),
        renew: (due, leaseUntil) => issues.renew(due, leaseUntil),
        nextDue: () => issues.nextDue(),
      },
      execute: (due) => testIssues.execute(due),
      clock,
      log,
      leaseMs,
      concurrency: 1,
    });
    const purpose = "plan the issues of flaky tests";
    this.#planning = new PeriodicTask({ run: () => this.#plan(), everyMs, purpose, log });
  }

  start(): void {
    this.#worker.start();
    this.#planning.start();
  }

  /** Call when a status or a setting may have changed. */
  wake(): void {
    this.#planning.wake();
  }

  async stop(): Promise<void> {
    await this.#planning.stop();
    await this.#worker.stop();
  }

  async #plan(): Promise<void> {
    const { issues, settings, clock } = this.#parts;
    for (const repositoryId of await issues.repositories()) {
      const { issuesRefused } = await settings.rules(repositoryId);
      const now = clock.now();
      if (issuesRefused && now < issuesRefused.at + refusedForMs) continue;
      await issues.plan(repositoryId, now, mostInAnHour);
    }
    this.#worker.wake();
  }
}
