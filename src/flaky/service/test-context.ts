import type { QueueState, RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { SealedKeys } from "../../service/access/secret-seal.ts";
import type { Directory } from "../../service/runtime/directory.ts";
import type { TestEvaluationStore } from "../store/history/test-evaluation-store.ts";
import type { QuarantineStore } from "../store/quarantines/quarantine-store.ts";
import type { TestIssueStore } from "../store/quarantines/test-issue-store.ts";
import type { TestSettingsStore } from "../store/quarantines/test-settings-store.ts";
import type { TestOwnerStore } from "../store/reads/test-owner-store.ts";
import type { TestReads } from "../store/reads/test-reads.ts";
import type { BundleStore } from "../store/uploads/bundle-store.ts";
import type { KeptReport, LateResultStore } from "../store/uploads/late-result-store.ts";
import type { TestResultStore } from "../store/uploads/test-result-store.ts";
import type { TestOwners } from "./test-owners.ts";
import type { TestRepositories } from "./test-repositories.ts";
import type { Semaphore, SentReport } from "./uploads/read-reports.ts";
import type { TestIds } from "./uploads/upload-tests.ts";

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

/** The pages where people look at tests. */
export interface TestAddresses {
  /** The page of a test. */
  readonly test: (repo: RepositoryRef, id: string) => string;
  /** The repository's page at the code host. */
  readonly repository: (repo: RepositoryRef) => string;
}

/** What the services of tests get from outside. */
export interface TestServiceOptions {
  readonly stores: TestStores;
  readonly directory: Directory;
  readonly stateOf: (queueId: string) => Promise<Pick<QueueState, "runs" | "tries" | "baseTest">>;
  readonly keys: Pick<SealedKeys, "obtain">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly addresses: TestAddresses;
  /** Called when webhook messages may have been added. */
  readonly onAnnounce: () => void;
  /** The prefix of the queue's test branches. */
  readonly testBranchPrefix: string;
  /** How long test results are kept. */
  readonly retentionMs: number;
  readonly leaseMs: number;
  /** @throws Error if the kept bytes cannot be decompressed. */
  readonly readKept: (report: KeptReport) => Promise<SentReport>;
}

/** What the services of tests share. */
export interface TestContext extends TestServiceOptions {
  readonly repositories: TestRepositories;
  readonly owners: Pick<TestOwners, "finder" | "refresh">;
  /** Limits how many uploads are read at the same time. */
  readonly reading: Semaphore;
  readonly testIds: TestIds;
}
