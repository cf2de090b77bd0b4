import { SqlTestCounts } from "../flaky/store/history/test-counts.ts";
import { SqlTestEvaluationStore } from "../flaky/store/history/test-evaluation-store.ts";
import { SqlQuarantineStore } from "../flaky/store/quarantines/quarantine-store.ts";
import { SqlTestIssueStore } from "../flaky/store/quarantines/test-issue-store.ts";
import { SqlTestSettingsStore } from "../flaky/store/quarantines/test-settings-store.ts";
import { SqlTestOwnerStore } from "../flaky/store/reads/test-owner-store.ts";
import { SqlTestReads } from "../flaky/store/reads/test-reads.ts";
import { SqlBundleStore } from "../flaky/store/uploads/bundle-store.ts";
import { SqlLateResultStore } from "../flaky/store/uploads/late-result-store.ts";
import { NewTests } from "../flaky/store/uploads/new-tests.ts";
import { SqlTestResultStore } from "../flaky/store/uploads/test-result-store.ts";
import type { AuditLog } from "../ports/audit-log.ts";
import type { CallLimitStore } from "../ports/code-host/call-limits.ts";
import type { Clock } from "../ports/code-host/runtime.ts";
import type { CommandLog } from "../ports/command-log.ts";
import type { CursorStore } from "../ports/cursor-store.ts";
import type { HeadLog } from "../ports/head-log.ts";
import type { HistoryStore } from "../ports/history-store.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { MeterStore } from "../ports/meter-store.ts";
import type { Outbox } from "../ports/outbox.ts";
import type { PublicationStore } from "../ports/publication-store.ts";
import type { QueueStore } from "../ports/queue-store.ts";
import type { ReplicaStore } from "../ports/replica-store.ts";
import type { RequestCountStore } from "../ports/request-count-store.ts";
import type { SessionStore } from "../ports/session-store.ts";
import type { SigningKeys } from "../ports/signing-keys.ts";
import type { StorageFault } from "../ports/storage-fault.ts";
import type { TableSizes } from "../ports/table-sizes.ts";
import type { TallyStore } from "../ports/tally-store.ts";
import type { TargetStore } from "../ports/target-store.ts";
import type { BundleStore } from "../ports/tests/bundle-store.ts";
import type { LateResultStore } from "../ports/tests/late-result-store.ts";
import type { QuarantineStore } from "../ports/tests/quarantine-store.ts";
import type { TestCounts } from "../ports/tests/test-counts.ts";
import type { TestEvaluationStore } from "../ports/tests/test-evaluation-store.ts";
import type { TestIssueStore } from "../ports/tests/test-issue-store.ts";
import type { TestOwnerStore } from "../ports/tests/test-owner-store.ts";
import type { TestReads } from "../ports/tests/test-reads.ts";
import type { TestResultStore } from "../ports/tests/test-result-store.ts";
import type { TestSettingsStore } from "../ports/tests/test-settings-store.ts";
import type { TokenStore } from "../ports/token-store.ts";
import type { WebhookDeliveries } from "../ports/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoints } from "../ports/webhooks/webhook-endpoints.ts";
import { SqlAuditLog } from "./access/audit-log.ts";
import { SqlSessionStore } from "./access/session-store.ts";
import { SqlSigningKeys } from "./access/signing-keys.ts";
import { SqlTokenStore } from "./access/token-store.ts";
import { SqlCallLimitStore } from "./leased/call-limit-store.ts";
import { SqlCursorStore } from "./leased/cursor-store.ts";
import { SqlIdempotencyStore } from "./leased/idempotency-store.ts";
import { SqlInbox } from "./leased/inbox.ts";
import { SqlMeterStore } from "./leased/meter-store.ts";
import { SqlOutbox } from "./leased/outbox.ts";
import { SqlCommandLog } from "./queue/command-log.ts";
import { SqlHeadLog } from "./queue/head-log.ts";
import { SqlHistoryStore } from "./queue/history-store.ts";
import { SqlPublicationStore } from "./queue/publication-store.ts";
import { SqlQueueStore } from "./queue/queue-store.ts";
import { SqlTallyStore } from "./queue/tally-store.ts";
import { SqlTargetStore } from "./queue/target-store.ts";
import { SqlReplicaStore } from "./replicas/replica-store.ts";
import { SqlRequestCountStore } from "./replicas/request-count-store.ts";
import { SqlTableSizes } from "./schema/table-sizes.ts";
import { DamageWatch } from "./sqlite/damage-watch.ts";
import type { GroupCommit } from "./sqlite/group-commit.ts";
import type { Database } from "./sqlite/schema.ts";
import { WriteProbe } from "./sqlite/write-probe.ts";
import { SqlWebhookDeliveries } from "./webhooks/webhook-deliveries.ts";
import { SqlWebhookEndpoints } from "./webhooks/webhook-endpoints.ts";

/** All stores, in one database. */
export interface Store {
  readonly queues: QueueStore;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly publications: PublicationStore;
  readonly targets: TargetStore;
  readonly heads: HeadLog;
  readonly commands: CommandLog;
  readonly cursors: CursorStore;
  readonly callLimits: CallLimitStore;
  readonly idempotency: IdempotencyStore;
  readonly tallies: TallyStore;
  readonly audit: AuditLog;
  readonly meters: MeterStore;
  readonly signingKeys: SigningKeys;
  readonly testReads: TestReads;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly testResults: TestResultStore;
  readonly lateResults: LateResultStore;
  readonly testEvaluations: TestEvaluationStore;
  readonly quarantines: QuarantineStore;
  readonly testOwners: TestOwnerStore;
  readonly testSettings: TestSettingsStore;
  readonly testCounts: TestCounts;
  readonly testIssues: TestIssueStore;
  readonly bundles: BundleStore;
  readonly history: HistoryStore;
  readonly tableSizes: TableSizes;
  readonly replicas: ReplicaStore;
  readonly requestCounts: RequestCountStore;
  /** Whether several services may use the database at the same time. */
  readonly isShared: boolean;
  /** Aborted when a newer version has migrated the database, with a `SchemaProblem`. From then on, nothing is written. */
  readonly replaced: AbortSignal;
  /** The time of the machine, or of the server that several services share. */
  readonly clock: Clock;
  /** Looks for damage in the database's file once it is started. Finds nothing on PostgreSQL. */
  readonly damage: DamageWatch;
  /**
   * Why nothing can be written, or that something cannot be read; null when a write has just succeeded. Writes at most once a
   * second. Never rejects.
   */
  ready(): Promise<StorageFault | null>;
  /** Waits for writes in progress, refuses new ones, and closes the database. */
  close(): Promise<void>;
}

/** A database that several services may use at the same time. */
export interface SharedDatabase {
  /** The time of the server. */
  readonly clock: Clock & { stop(): void };
  readonly replaced: AbortSignal;
}

const machineClock: Clock = { now: () => Date.now() };

/**
 * The stores of an open database. Closing them closes it.
 *
 * @param shared null = only this process uses the database
 * @param path null = the database has no file of ours
 */
export function createStores(
  db: Database,
  writes: GroupCommit,
  shared: SharedDatabase | null = null,
  path: string | null = null,
): Store {
  const damage = new DamageWatch(path);
  const newTests = new NewTests(db, writes);
  const probe = new WriteProbe(writes);
  return {
    queues: new SqlQueueStore(db, writes),
    outbox: new SqlOutbox(db, writes),
    inbox: new SqlInbox(db, writes),
    tokens: new SqlTokenStore(db, writes),
    sessions: new SqlSessionStore(db, writes),
    publications: new SqlPublicationStore(db, writes),
    targets: new SqlTargetStore(db, writes),
    heads: new SqlHeadLog(db, writes),
    commands: new SqlCommandLog(db, writes),
    cursors: new SqlCursorStore(db, writes),
    callLimits: new SqlCallLimitStore(db, writes),
    idempotency: new SqlIdempotencyStore(writes),
    tallies: new SqlTallyStore(db, writes),
    audit: new SqlAuditLog(db, writes),
    meters: new SqlMeterStore(db, writes),
    signingKeys: new SqlSigningKeys(db, writes),
    testReads: new SqlTestReads(db, newTests),
    webhookEndpoints: new SqlWebhookEndpoints(db, writes),
    webhookDeliveries: new SqlWebhookDeliveries(db, writes),
    testResults: new SqlTestResultStore(db, writes, newTests),
    lateResults: new SqlLateResultStore(db, writes),
    testEvaluations: new SqlTestEvaluationStore(db, writes, newTests),
    quarantines: new SqlQuarantineStore(db, writes, newTests),
    testOwners: new SqlTestOwnerStore(db, writes, newTests),
    testSettings: new SqlTestSettingsStore(db, writes),
    testCounts: new SqlTestCounts(db),
    testIssues: new SqlTestIssueStore(db, writes),
    bundles: new SqlBundleStore(db, writes),
    history: new SqlHistoryStore(db, writes),
    tableSizes: new SqlTableSizes(db),
    replicas: new SqlReplicaStore(db, writes),
    requestCounts: new SqlRequestCountStore(writes),
    isShared: shared !== null,
    replaced: shared?.replaced ?? new AbortController().signal,
    clock: shared?.clock ?? machineClock,
    damage,
    ready: async () =>
      damage.found === null ? probe.ask() : { code: "DATABASE_CORRUPT", cause: new Error(damage.found) },
    async close() {
      damage.stop();
      probe.close();
      shared?.clock.stop();
      await writes.close();
      await db.destroy();
    },
  };
}
