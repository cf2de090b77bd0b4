import type {
  CodeHostFailure,
  InstalledRepository,
  IssueEdit,
  TrackedIssue,
} from "../../ports/code-host/code-host.ts";
import { installed } from "../../service/runtime/directory.ts";
import { LeasedWorker } from "../../service/workers/leased-worker.ts";
import { PeriodicTask } from "../../service/workers/periodic-task.ts";
import { isCodeHostFailure, messageOf, retryDelayMs } from "../../service/workers/retry.ts";
import type { DueIssue } from "../store/quarantines/test-issue-store.ts";
import type { IssuesRefusal, TestRules } from "../store/quarantines/test-settings-store.ts";
import type { TestDetails } from "../store/reads/test-records.ts";
import { goneComment, renderIssueBody, renderIssueComment, renderIssueTitle } from "./issue-text.ts";
import type { TestContext } from "./test-context.ts";

/** Tolerance for clock differences: an issue is dated by the code host's clock. */
const clockSkewMs = 15 * 60_000;
/** The time after which a new issue is certainly in listings. */
const listedAfterMs = 5_000;
/** The number of attempts after which a refusal is believed, some four minutes. */
const maxAttempts = 8;

/**
 * Updates the issue of a test to match its current status. Repeatable: a test gets only one issue, even if
 * this is interrupted.
 */
export class TestIssues {
  readonly #context: TestContext;

  constructor(context: TestContext) {
    this.#context = context;
  }

  async execute(due: DueIssue): Promise<void> {
    const { stores, directory, clock } = this.#context;
    const rules = await stores.testSettings.rules(due.repositoryId);
    if (!rules.settings.issues) return stores.testIssues.halt(due, null);
    const test = await stores.testReads.details(rules.repo, due.testId, clock.now());
    try {
      const [queue] = await directory.ofRepository(rules.repo);
      const repo = queue ? installed(queue) : await this.#find(rules);
      if (repo) await this.#bringUpToDate(due, test, repo, rules);
      else await this.#halt(due, rules, "APP_NOT_INSTALLED", "the App is not installed on the repository");
    } catch (error) {
      if (!isCodeHostFailure(error)) throw error;
      await this.#failed(due, rules, test, error);
    }
  }

  async #find({ repo }: TestRules): Promise<InstalledRepository | null> {
    const installationId = await this.#context.directory.codeHost.findInstallation(repo);
    return installationId === null ? null : { ...repo, installationId };
  }

  async #bringUpToDate(
    due: DueIssue,
    test: TestDetails | null,
    repo: InstalledRepository,
    { settings }: TestRules,
  ): Promise<void> {
    const { testIssues: issues } = this.#context.stores;
    const known = due.number ?? (await this.#lost(due, repo));
    const isWanted = test !== null && test.status.status !== "HEALTHY";
    if (known === null && !isWanted) return issues.drop(due);
    const edited = known === null ? null : await this.#edit(due, test, repo, known);
    if (!test) return issues.drop(due);
    const toldStatusAt = test.status.at;
    if (edited) return issues.record(due, { ...edited, isOpen: isWanted, toldStatusAt });
    // A person deleted the issue. No other is opened until the test becomes flaky again.
    if (!isWanted) return issues.drop(due);
    const opened = await this.#context.directory.codeHost.openIssue(repo, {
      subject: subjectOf(due),
      title: renderIssueTitle(test),
      body: this.#body(test),
      labels: settings.issueLabels,
    });
    await issues.record(due, { ...opened, isOpen: true, toldStatusAt });
  }

  /** An issue that was opened, but whose number was not stored because the process was interrupted. */
  async #lost({ triedAt, ...due }: Pick<DueIssue, "triedAt" | "testId">, repo: InstalledRepository) {
    if (triedAt === null) return null;
    const { codeHost } = this.#context.directory;
    const found = await codeHost.findIssue(repo, subjectOf(due), triedAt - clockSkewMs);
    return found?.number ?? null;
  }

  /** Null when the issue no longer exists. */
  async #edit(
    due: DueIssue,
    test: TestDetails | null,
    repo: InstalledRepository,
    number: number,
  ): Promise<TrackedIssue | null> {
    const subject = subjectOf(due);
    const state = test && test.status.status !== "HEALTHY" ? "open" : "closed";
    const body = test ? this.#body(test) : goneComment;
    const edited = await this.#editText(due, repo, number, { subject, body, state });
    // The body of an issue that was not recorded already says why it was opened.
    if (!edited || (due.number === null && state === "open")) return edited;
    await this.#comment(due, test, repo, number);
    return edited;
  }

  /** An issue is also gone if it was transferred to another repository, which GitHub answers with 404. */
  async #editText(
    due: DueIssue,
    repo: InstalledRepository,
    number: number,
    text: IssueEdit,
  ): Promise<TrackedIssue | null> {
    try {
      return await this.#context.directory.codeHost.editIssue(repo, number, text);
    } catch (error) {
      const isGone = isCodeHostFailure(error) && error.kind === "not_found" && isBelieved(due);
      if (isGone) return null;
      throw error;
    }
  }

  async #comment(
    due: DueIssue,
    test: TestDetails | null,
    repo: InstalledRepository,
    number: number,
  ): Promise<void> {
    const { directory, log } = this.#context;
    const body = test ? renderIssueComment(test, this.#url(test)) : goneComment;
    const key = `${subjectOf(due)} ${test?.status.at ?? "gone"}`;
    try {
      await directory.codeHost.commentOnIssue(repo, number, { key, body }, due.attempts > 0);
    } catch (error) {
      // The edit succeeded, so the refusal is about this issue only, which may be locked. Its text contains
      // the same information.
      if (!isCodeHostFailure(error) || error.kind !== "denied") throw error;
      log.warn({ repo, issue: number, err: error }, `no comment could be written: ${error.message}`);
    }
  }

  async #failed(
    due: DueIssue,
    rules: TestRules,
    test: TestDetails | null,
    error: CodeHostFailure,
  ): Promise<void> {
    const { stores, clock, log } = this.#context;
    const { testIssues: issues } = stores;
    if (isBelieved(due) && error.kind === "denied")
      return this.#halt(due, rules, "PERMISSION_MISSING", error.message);
    if (isBelieved(due) && error.kind === "not_found")
      return this.#halt(due, rules, "ISSUES_DISABLED", error.message);
    const fields = { repo: rules.repo, test: due.testId, attempts: due.attempts, err: error };
    if (error.kind === "invalid" && isBelieved(due)) {
      log.error(fields, `gave up on the issue of a test: ${error.message}`);
      return test ? issues.giveUp(due, test.status.at, error.message) : issues.drop(due);
    }
    log.warn(fields, `the issue of a test could not be written, and will be tried again: ${error.message}`);
    const delay = retryDelayMs(error, due.attempts);
    // If the issue was opened despite the error, it must appear in listings before the next attempt looks for
    // it.
    const at = clock.now() + (due.number === null ? Math.max(delay, listedAfterMs) : delay);
    await issues.postpone(due, at, messageOf(error));
  }

  async #halt(due: DueIssue, { repo }: TestRules, code: IssuesRefusal, message: string): Promise<void> {
    const { stores, clock, log } = this.#context;
    const { testIssues: issues } = stores;
    log.error({ repo, code }, `no issues are opened for flaky tests, and none for a day: ${message}`);
    await issues.halt(due, { code, message, at: clock.now() });
  }

  #url(test: TestDetails): string {
    return this.#context.addresses.test(test.repo, test.id);
  }

  #body(test: TestDetails): string {
    return renderIssueBody(test, this.#url(test));
  }
}

/** During incidents, GitHub answers 403 and 404 for what is permitted and exists. */
const isBelieved = ({ attempts }: DueIssue): boolean => attempts >= maxAttempts;

function subjectOf({ testId }: { testId: string }): string {
  return `test ${testId}`;
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
  readonly #context: TestContext;
  readonly #worker: LeasedWorker<DueIssue>;
  readonly #planning: PeriodicTask;

  constructor(context: TestContext) {
    this.#context = context;
    const { ids, clock, log, leaseMs } = context;
    const { testIssues: issues } = context.stores;
    const testIssues = new TestIssues(context);
    this.#worker = new LeasedWorker({
      name: "issues",
      owner: ids.next(),
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

  /** Must be called when a status or a setting may have changed. */
  wake(): void {
    this.#planning.wake();
  }

  async stop(): Promise<void> {
    await this.#planning.stop();
    await this.#worker.stop();
  }

  async #plan(): Promise<void> {
    const { stores, clock } = this.#context;
    const { testIssues: issues, testSettings: settings } = stores;
    for (const repositoryId of await issues.repositories()) {
      const { issuesRefused } = await settings.rules(repositoryId);
      const now = clock.now();
      if (issuesRefused && now < issuesRefused.at + refusedForMs) continue;
      await issues.plan(repositoryId, now, mostInAnHour);
    }
    this.#worker.wake();
  }
}
