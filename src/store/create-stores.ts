import { TestEvaluationStore } from "../flaky/store/history/test-evaluation-store.ts";
import { NewTests } from "../flaky/store/identities/new-tests.ts";
import { QuarantineStore } from "../flaky/store/quarantines/quarantine-store.ts";
import { TestIssueStore } from "../flaky/store/quarantines/test-issue-store.ts";
import { TestSettingsStore } from "../flaky/store/quarantines/test-settings-store.ts";
import { TestCounts } from "../flaky/store/reads/test-counts.ts";
import { TestOwnerStore } from "../flaky/store/reads/test-owner-store.ts";
import { TestReads } from "../flaky/store/reads/test-reads.ts";
import { BundleStore } from "../flaky/store/uploads/bundle-store.ts";
import { LateResultStore } from "../flaky/store/uploads/late-result-store.ts";
import { TestResultStore } from "../flaky/store/uploads/test-result-store.ts";
import type { CallLimitStore } from "../ports/code-host/app.ts";
import type { Clock } from "../ports/code-host/runtime.ts";
import type { StorageFault } from "../ports/storage-fault.ts";
import { AuditLog } from "./access/audit-log.ts";
import { SessionStore } from "./access/session-store.ts";
import { SigningKeys } from "./access/signing-keys.ts";
import { TokenStore } from "./access/token-store.ts";
import { SqlCallLimitStore } from "./leased/call-limit-store.ts";
import { CursorStore } from "./leased/cursor-store.ts";
import { IdempotencyStore } from "./leased/idempotency-store.ts";
import { Inbox } from "./leased/inbox.ts";
import { MeterStore } from "./leased/meter-store.ts";
import { Outbox } from "./leased/outbox.ts";
import { CommandLog } from "./queue/command-log.ts";
import { HeadLog } from "./queue/head-log.ts";
import { HealthStore } from "./queue/health-store.ts";
import { HistoryStore } from "./queue/history-store.ts";
import { PastStates } from "./queue/past-states.ts";
import { PublicationStore } from "./queue/publication-store.ts";
import { QueueStore } from "./queue/queue-store.ts";
import { TallyStore } from "./queue/tally-store.ts";
import { TargetStore } from "./queue/target-store.ts";
import { InstanceStore } from "./replicas/instance-store.ts";
import { ReplicaStore } from "./replicas/replica-store.ts";
import { RequestCountStore } from "./replicas/request-count-store.ts";
import { TableSizes } from "./schema/table-sizes.ts";
import { DamageWatch } from "./sqlite/damage-watch.ts";
import type { GroupCommit } from "./sqlite/group-commit.ts";
import type { Database } from "./sqlite/schema.ts";
import { WriteProbe } from "./sqlite/write-probe.ts";
import { WebhookDeliveries } from "./webhooks/webhook-deliveries.ts";
import { WebhookEndpoints } from "./webhooks/webhook-endpoints.ts";

export interface Store extends ReturnType<typeof createStores> {}

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
) {
  const damage = new DamageWatch(path);
  const newTests = new NewTests(db, writes);
  const probe = new WriteProbe(writes);
  return {
    queues: new QueueStore(db, writes),
    outbox: new Outbox(db, writes),
    inbox: new Inbox(db, writes),
    tokens: new TokenStore(db, writes),
    sessions: new SessionStore(db, writes),
    publications: new PublicationStore(db, writes),
    targets: new TargetStore(db, writes),
    heads: new HeadLog(db, writes),
    commands: new CommandLog(db, writes),
    cursors: new CursorStore(db, writes),
    callLimits: new SqlCallLimitStore(db, writes) satisfies CallLimitStore,
    idempotency: new IdempotencyStore(writes),
    tallies: new TallyStore(db, writes),
    health: new HealthStore(db, writes),
    audit: new AuditLog(db, writes),
    meters: new MeterStore(db, writes),
    signingKeys: new SigningKeys(db, writes),
    testReads: new TestReads(db, newTests),
    webhookEndpoints: new WebhookEndpoints(db, writes),
    webhookDeliveries: new WebhookDeliveries(db, writes),
    testResults: new TestResultStore(db, writes, newTests),
    lateResults: new LateResultStore(db, writes),
    testEvaluations: new TestEvaluationStore(db, writes, newTests),
    quarantines: new QuarantineStore(db, writes, newTests),
    testOwners: new TestOwnerStore(db, writes, newTests),
    testSettings: new TestSettingsStore(db, writes),
    testCounts: new TestCounts(db),
    testIssues: new TestIssueStore(db, writes),
    bundles: new BundleStore(db, writes),
    history: new HistoryStore(db, writes),
    past: new PastStates(db, writes),
    tableSizes: new TableSizes(db),
    replicas: new ReplicaStore(db, writes),
    requestCounts: new RequestCountStore(writes),
    instances: new InstanceStore(db, writes, shared !== null, path),
    isShared: shared !== null,
    /** Aborted when a newer version has migrated the database, with a `DatabaseProblem`. From then on, nothing is written. */
    replaced: shared?.replaced ?? new AbortController().signal,
    /** The time of the machine, or of the server that several services share. */
    clock: shared?.clock ?? machineClock,
    /** Looks for damage in the database's file once it is started. Finds nothing on PostgreSQL. */
    damage,
    /**
     * Why nothing can be written, or why something cannot be read; null when a write has just succeeded. Writes at most once a second.
     * Never rejects.
     */
    ready: async (): Promise<StorageFault | null> =>
      damage.found === null ? probe.ask() : { code: "DATABASE_CORRUPT", cause: new Error(damage.found) },
    /** Waits for writes in progress, refuses new ones, and closes the database. */
    async close(): Promise<void> {
      damage.stop();
      probe.close();
      shared?.clock.stop();
      await writes.close();
      await db.destroy();
    },
  };
}
