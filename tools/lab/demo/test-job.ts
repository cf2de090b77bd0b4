import { once } from "node:events";
import type { FinishingJob } from "../../sandbox/ci/ci-settings.ts";
import type { UploadStep } from "./action-steps.ts";

/** A test of the demo's repository. */
interface DemoTest {
  readonly suite: string;
  readonly name: string;
  /** Its failure message. */
  readonly failure: string;
}

/** Renders the JUnit report of one test run, as a test runner would write it. */
function renderJunitReport(tests: readonly DemoTest[], failed: ReadonlySet<DemoTest>): string {
  const suites = [...Map.groupBy(tests, ({ suite }) => suite)].map(([suite, own]) => {
    const failures = own.filter((test) => failed.has(test)).length;
    const cases = own.map((test) => renderCase(test, failed.has(test)));
    return `<testsuite name="${suite}" tests="${own.length}" failures="${failures}">\n${cases.join("")}</testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${tests.length}" failures="${failed.size}">\n${suites.join("")}</testsuites>\n`;
}

function renderCase({ suite, name, failure }: DemoTest, hasFailed: boolean): string {
  const file = `test/${suite}.test.js`;
  const inner = hasFailed
    ? `<failure message="${failure}">Error: ${failure}\n    at ${file}:12:5</failure>`
    : "";
  return `  <testcase classname="${suite}" name="${name}" file="${file}" time="0.01">${inner}</testcase>\n`;
}

/** A flaky test whose failures count, because a person turned its quarantine off. The queue re-runs its job. */
export const countedFlake: DemoTest = {
  suite: "clock",
  name: "strikes twelve at midnight",
  failure: "the bell struck once too few",
};

/** A flaky test that is quarantined automatically. The upload step of the job forgives its failures. */
export const forgivenFlake: DemoTest = {
  suite: "delivery",
  name: "arrives before noon",
  failure: "nothing was delivered",
};

/** The test that fails for a broken tree. It must never be forgiven. */
const watchful: DemoTest = {
  suite: "widget",
  name: "works with all the others",
  failure: "one sets what another forbids",
};

const steady = (suite: string, ...names: string[]): DemoTest[] =>
  names.map((name) => ({ suite, name, failure: `${name}: no` }));

const tests: readonly DemoTest[] = [
  ...steady("clock", "ticks", "is wound up"),
  countedFlake,
  ...steady("delivery", "is packed", "is signed for"),
  forgivenFlake,
  ...steady("widget", "is round", "fits its box", "can be painted", "can be taken back"),
  watchful,
];

const flakes = [countedFlake, forgivenFlake];

export const testsJob = "test";

/** Prefix of the queue's test branches: the default of that setting. */
const testBranches = "trainyard-merge/";

interface TestJobParts {
  /** Uploads the results. Its conclusion becomes that of the job. */
  readonly uploadStep: Pick<UploadStep, "take">;
  /**
   * One in this many jobs of pull requests uploads its report when all tests passed. Jobs with a failure always do, and so does the next
   * job that passes, because a flaky test without passes counts as broken. More than 1 if uploads are not the subject, because each one
   * starts a process.
   */
  readonly passedPerUpload: number;
  /** Whether nothing is wrong with a pull request, so that only a flake can fail it. */
  readonly isGood: (pr: number) => boolean;
  /** Whether a branch still exists. */
  readonly exists: (branch: string) => Promise<boolean>;
}

/** A failure of a flaky test in the queue. */
export interface Strike {
  readonly pr: number;
  readonly test: DemoTest;
  readonly branch: string;
  readonly runId: number;
  /** How the queue, or the response to the upload, handled it. */
  outcome: "open" | "rerun" | "forgiven" | "discarded";
}

/**
 * The job `test` of the demo's repository. It runs the tests. In its last step the Action uploads their report; the step passes if all
 * failed tests are quarantined. A broken tree fails one test, regardless of the pull request that broke it. An unknown flake fails outside
 * of the tests.
 *
 * Each of the two flaky tests fails at the first attempt on the branch where it becomes known, and later once in the queue. The counted one
 * fails again if its run was discarded before its job was re-run.
 */
export class TestJob {
  readonly strikes: Strike[] = [];
  readonly #parts: TestJobParts;
  /** Resolved when the other job of a run ends, because GitHub re-runs no job before that. */
  readonly #built = new Map<number, PromiseWithResolvers<void>>();
  /** Jobs of pull requests in which all tests passed. */
  #passed = 0;
  /** Whether a flaky test has failed since the last job that passed. */
  #hasStruck = false;
  /** Serializes the decisions, because several jobs may end at the same time, and only one of them gets the flake. */
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(parts: TestJobParts) {
    this.#parts = parts;
  }

  /** The last step of every job. */
  readonly lastStep = async (job: FinishingJob): Promise<FinishingJob["conclusion"]> => {
    if (job.check !== testsJob) {
      this.#buildOf(job).resolve();
      return job.conclusion;
    }
    const strike = this.#kindOf(job) === "queue" ? await this.#strike(job) : null;
    const failed = new Set(strike ? [strike.test] : this.#isBecomingKnown(job) ? flakes : []);
    if (job.conclusion === "failure" && !job.isFlake) failed.add(watchful);
    const hasFailed = job.conclusion === "failure" || failed.size > 0;
    if (!hasFailed && !this.#uploadsPassed(job)) return job.conclusion;
    const { conclusion } = await this.#parts.uploadStep.take(
      job,
      renderJunitReport(tests, failed),
      hasFailed,
    );
    if (strike && conclusion === "success") strike.outcome = "forgiven";
    // GitHub re-runs the job only after the other job has ended. Without this wait, the queue and the demo would have to wait.
    if (strike) await Promise.race([this.#buildOf(job).promise, untilAborted(job.closing)]);
    return conclusion;
  };

  #uploadsPassed(job: FinishingJob): boolean {
    if (this.#kindOf(job) === "stable") return true;
    this.#passed += 1;
    const isFirstAfterStrike = this.#hasStruck;
    this.#hasStruck = false;
    return isFirstAfterStrike || this.#passed % this.#parts.passedPerUpload === 0;
  }

  #isBecomingKnown(job: FinishingJob): boolean {
    return this.#kindOf(job) === "stable" && job.runAttempt === 1;
  }

  /** Decides which flaky test, if any, fails in this run of the queue. */
  async #strike({ branch, runId, runAttempt, conclusion }: FinishingJob): Promise<Strike | null> {
    const again = this.strikes.find((strike) => strike.runId === runId && strike.outcome === "open");
    if (again && runAttempt > 1) again.outcome = "rerun";
    const pr = this.#pullRequestOf(branch);
    if (runAttempt > 1 || conclusion === "failure" || !this.#parts.isGood(pr)) return null;
    const turn = this.#lastTurn.then(async () => {
      const test = await this.#due();
      if (!test) return null;
      const strike: Strike = { pr, test, branch, runId, outcome: "open" };
      this.strikes.push(strike);
      this.#hasStruck = true;
      return strike;
    });
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  async #due(): Promise<DemoTest | null> {
    const last = this.strikes.findLast(({ test }) => test === countedFlake);
    if (last?.outcome === "open" && !(await this.#parts.exists(last.branch))) last.outcome = "discarded";
    if (!last || last.outcome === "discarded") return countedFlake;
    return this.strikes.some(({ test }) => test === forgivenFlake) ? null : forgivenFlake;
  }

  #kindOf({ pr, branch }: FinishingJob): "pr" | "queue" | "stable" {
    if (pr !== null) return "pr";
    return branch.startsWith(testBranches) ? "queue" : "stable";
  }

  #pullRequestOf(branch: string): number {
    const [, pr = "0"] = /^pr-(\d+)\//.exec(branch.slice(testBranches.length)) ?? [];
    return Number(pr);
  }

  #buildOf({ runId }: FinishingJob): PromiseWithResolvers<void> {
    const known = this.#built.get(runId) ?? Promise.withResolvers<void>();
    this.#built.set(runId, known);
    return known;
  }
}

/** Rejects with the signal's reason once the signal has aborted. */
async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}
