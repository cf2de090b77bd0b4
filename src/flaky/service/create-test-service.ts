import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { Directory } from "../../service/runtime/directory.ts";
import type { TestEvaluationStore } from "../store/history/test-evaluation-store.ts";
import type { QuarantineStore } from "../store/quarantines/quarantine-store.ts";
import type { TestIssueStore } from "../store/quarantines/test-issue-store.ts";
import type { TestSettingsStore } from "../store/quarantines/test-settings-store.ts";
import type { TestOwnerStore } from "../store/reads/test-owner-store.ts";
import type { TestReads } from "../store/reads/test-reads.ts";
import type { BundleStore } from "../store/uploads/bundle-store.ts";
import type { LateResultStore } from "../store/uploads/late-result-store.ts";
import type { TestResultStore } from "../store/uploads/test-result-store.ts";
import { BranchLines, type BranchLinesParts } from "./evaluation/branch-lines.ts";
import { TestEvaluator } from "./evaluation/test-evaluator.ts";
import { TestSweeper } from "./evaluation/test-sweeper.ts";
import { IssueWorker } from "./issues/issue-worker.ts";
import { TestIssues } from "./issues/test-issues.ts";
import { Quarantines } from "./quarantines.ts";
import { RepositoryTestSettings } from "./repository-test-settings.ts";
import { Semaphore } from "./semaphore.ts";
import type { TestUrl } from "./test-messages.ts";
import { TestOwners } from "./test-owners.ts";
import { TestRepositories } from "./test-repositories.ts";
import { Bundles } from "./uploads/bundles.ts";
import { LateResults, type ReadKeptReport } from "./uploads/late-results.ts";
import { TestIds } from "./uploads/test-ids.ts";
import { TestIngest } from "./uploads/test-ingest.ts";

export interface TestStores {
  readonly testResults: TestResultStore;
  readonly lateResults: LateResultStore;
  readonly testEvaluations: TestEvaluationStore;
  readonly testOwners: TestOwnerStore;
  readonly quarantines: QuarantineStore;
  readonly testSettings: TestSettingsStore;
  readonly testIssues: TestIssueStore;
  readonly testReads: TestReads;
  readonly bundles: BundleStore;
}

export interface TestServiceParts {
  readonly stores: TestStores;
  readonly directory: Directory;
  readonly stateOf: BranchLinesParts["stateOf"];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly testUrl: TestUrl;
  /** Called when webhook messages were added. */
  readonly onAnnounce: () => void;
  /** The prefix of the queue's test branches. */
  readonly testBranchPrefix: string;
  /** How long test results are kept. */
  readonly retentionMs: number;
  readonly leaseMs: number;
  readonly readKept: ReadKeptReport;
}

/** The maximum number of uploads read concurrently. Each may take 150 MB. */
const readAtOnce = 2;

/**
 * Wires the test services: receiving and evaluating results, and quarantines. Nothing runs before `start`.
 */
export function createTestService(parts: TestServiceParts) {
  const { stores, directory, clock, ids, log, testUrl, onAnnounce, testBranchPrefix, retentionMs } = parts;
  const repositories = new TestRepositories(stores.testResults, directory, clock);
  const owners = new TestOwners(stores.testOwners, directory, clock, log);
  const testIssues = new TestIssues({
    issues: stores.testIssues,
    settings: stores.testSettings,
    tests: stores.testReads,
    directory,
    testUrl,
    clock,
    log,
  });
  const issues = new IssueWorker({
    issues: stores.testIssues,
    settings: stores.testSettings,
    testIssues,
    owner: ids.next(),
    clock,
    log,
    leaseMs: parts.leaseMs,
  });
  const evaluator = new TestEvaluator({
    evaluations: stores.testEvaluations,
    quarantines: stores.quarantines,
    owners,
    settings: stores.testSettings,
    testUrl,
    onFinding: () => {
      onAnnounce();
      issues.wake();
    },
    ids,
    clock,
    log,
  });
  const sweeper = new TestSweeper(stores.testEvaluations, clock, log, retentionMs);
  const lines = new BranchLines({
    store: stores.testResults,
    queuesOf: (repo) => directory.ofRepository(repo),
    stateOf: parts.stateOf,
  });
  const reading = { turns: new Semaphore(readAtOnce), ids: new TestIds() };
  const late = new LateResults({
    store: stores.lateResults,
    results: stores.testResults,
    evaluations: stores.testEvaluations,
    owners,
    ...reading,
    readKept: parts.readKept,
    onComplete: () => evaluator.wake(),
    clock,
    log,
  });
  const ingest = new TestIngest({
    ...reading,
    late,
    store: stores.testResults,
    lines,
    repositories,
    owners,
    clock,
    onUpload: () => {
      late.wake();
      evaluator.wake();
    },
  });
  return {
    repositories,
    ingest,
    bundles: new Bundles({
      store: stores.bundles,
      results: stores.testResults,
      lines,
      repositories,
      ingest,
      directory,
      testBranchPrefix,
      clock,
      ids,
    }),
    quarantines: new Quarantines({
      store: stores.quarantines,
      results: stores.testResults,
      repositories,
      testUrl,
      onChange: onAnnounce,
      ids,
      clock,
    }),
    settings: new RepositoryTestSettings({
      store: stores.testSettings,
      repositories,
      onChange: (repositoryId) => evaluator.revise(repositoryId),
    }),
    start(): void {
      late.start();
      evaluator.start();
      issues.start();
      sweeper.start();
    },
    /** Finishes the work in progress and starts nothing more. */
    async stop(): Promise<void> {
      await late.stop();
      await evaluator.stop();
      await issues.stop();
      await sweeper.stop();
    },
  };
}
