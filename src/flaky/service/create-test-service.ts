import { TestEvaluator } from "./evaluation/test-evaluator.ts";
import { TestSweeper } from "./evaluation/test-sweeper.ts";
import { Quarantines } from "./quarantines.ts";
import type { TestContext, TestServiceOptions } from "./test-context.ts";
import { IssueWorker } from "./test-issues.ts";
import { TestOwners } from "./test-owners.ts";
import { TestReader } from "./test-reader.ts";
import { RepositoryTestSettings, TestRepositories } from "./test-repositories.ts";
import { Bundles } from "./uploads/bundles.ts";
import { LateResults } from "./uploads/late-results.ts";
import { Semaphore } from "./uploads/read-reports.ts";
import { TestIngest } from "./uploads/test-ingest.ts";
import { TestIds } from "./uploads/upload-tests.ts";

/** The maximum number of uploads read concurrently. Each may take 150 MB. */
const readAtOnce = 2;

/**
 * Wires the test services: receiving and evaluating results, and quarantines. Nothing runs before `start`.
 */
export function createTestService(options: TestServiceOptions) {
  const context: TestContext = {
    ...options,
    repositories: new TestRepositories(options),
    owners: new TestOwners(options),
    reading: new Semaphore(readAtOnce),
    testIds: new TestIds(),
  };
  const issues = new IssueWorker(context);
  const evaluator = new TestEvaluator(context, () => {
    context.onAnnounce();
    issues.wake();
  });
  const sweeper = new TestSweeper(context);
  const late = new LateResults(context, () => evaluator.wake());
  const ingest = new TestIngest(context, late, () => {
    late.wake();
    evaluator.wake();
  });
  return {
    repositories: context.repositories,
    ingest,
    bundles: new Bundles(context, ingest),
    quarantines: new Quarantines(context),
    settings: new RepositoryTestSettings(context, (repositoryId) => evaluator.revise(repositoryId)),
    reader: new TestReader(context),
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
