import type { QueueState, RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { SealedKeys } from "../../service/access/secret-seal.ts";
import type { Directory } from "../../service/runtime/directory.ts";
import type { Store } from "../../store/create-stores.ts";
import type { KeptReport } from "../store/uploads/late-result-store.ts";
import type { TestOwners } from "./test-owners.ts";
import type { TestRepositories } from "./test-repositories.ts";
import type { Semaphore, SentReport } from "./uploads/read-reports.ts";
import type { TestIds } from "./uploads/upload-tests.ts";

/** The pages where people look at tests. */
export interface TestAddresses {
  readonly test: (repo: RepositoryRef, id: string) => string;
  /** The repository's page at the code host. */
  readonly repository: (repo: RepositoryRef) => string;
}

/** What the services of tests get from their environment. */
export interface TestServiceOptions {
  readonly stores: Store;
  readonly directory: Directory;
  readonly stateOf: (queueId: string) => Promise<Pick<QueueState, "runs" | "tries" | "baseTest" | "entries">>;
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
