import type { TestAddresses, TestServiceOptions, TestStores } from "../flaky/service/test-context.ts";
import type { TestCounts } from "../flaky/store/reads/test-counts.ts";
import type { InstallationUsage } from "../ports/code-host/app.ts";
import type { Clock, Ids, Logger } from "../ports/code-host/runtime.ts";
import type { WebhookPoster } from "../ports/webhooks/webhook-poster.ts";
import type { AuditLog } from "../store/access/audit-log.ts";
import type { SigningKeys } from "../store/access/signing-keys.ts";
import type { TokenStore } from "../store/access/token-store.ts";
import type { CursorStore } from "../store/leased/cursor-store.ts";
import type { Inbox } from "../store/leased/inbox.ts";
import type { MeterStore } from "../store/leased/meter-store.ts";
import type { Outbox } from "../store/leased/outbox.ts";
import type { HeadLog } from "../store/queue/head-log.ts";
import type { HealthStore } from "../store/queue/health-store.ts";
import type { HistoryStore } from "../store/queue/history-store.ts";
import type { PastStates } from "../store/queue/past-states.ts";
import type { PublicationStore } from "../store/queue/publication-store.ts";
import type { QueueStore } from "../store/queue/queue-store.ts";
import type { TallyStore } from "../store/queue/tally-store.ts";
import type { TargetStore } from "../store/queue/target-store.ts";
import type { InstanceStore } from "../store/replicas/instance-store.ts";
import type { RequestCountStore } from "../store/replicas/request-count-store.ts";
import type { TableSizes } from "../store/schema/table-sizes.ts";
import type { WebhookDeliveries } from "../store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoints } from "../store/webhooks/webhook-endpoints.ts";
import type { BranchPrefixes } from "./observation/own-branches.ts";
import type { DoctorSettings } from "./queues/queue-doctor.ts";
import type { Replicas } from "./replicas/replicas.ts";
import type { PageUrl, ServedHost } from "./runtime/directory.ts";
import type { Pace } from "./runtime/plan-tasks.ts";

export interface ServiceStores extends TestStores {
  readonly queues: QueueStore;
  readonly outbox: Outbox;
  readonly tokens: TokenStore;
  readonly publications: PublicationStore;
  readonly targets: TargetStore;
  readonly heads: HeadLog;
  readonly cursors: CursorStore;
  readonly instances: InstanceStore;
  readonly tallies: TallyStore;
  readonly health: HealthStore;
  readonly history: HistoryStore;
  readonly past: PastStates;
  readonly tableSizes: TableSizes;
  /** What is known to be damaged in the database's file. */
  readonly damage: { readonly found: string | null };
  readonly audit: AuditLog;
  readonly inbox: Inbox;
  readonly meters: MeterStore;
  readonly requestCounts: RequestCountStore;
  readonly signingKeys: SigningKeys;
  readonly testCounts: TestCounts;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
}

export interface ServiceSettings {
  readonly branches: BranchPrefixes;
  readonly doctor: DoctorSettings;
  readonly commandPrefix: string;
  /** The label that submits where neither the queue nor the repository file names one. */
  readonly submitLabel: string;
  /** Whether queues of public repositories have public pages unless their setting says otherwise. */
  readonly publicPages: boolean;
  /** The permissions that the App's manifest asks for. */
  readonly appPermissions: Readonly<Record<string, string>>;
  readonly pace: Pace;
  readonly leaseMs: number;
  readonly reconcileMs: number;
  /** How long audit entries are kept. */
  readonly auditMs: number;
  readonly pageUrl: PageUrl;
  readonly testAddresses: TestAddresses;
  /** Encryption keys for secrets, the current one first. When empty, no webhook can be created. */
  readonly encryptionKeys: readonly Buffer[];
  /** How long a delivered webhook is kept. */
  readonly webhookRetentionMs: number;
  /** How long pull requests and test runs that have ended are kept. */
  readonly historyMs: number;
  /** How long test results are kept. */
  readonly testRetentionMs: number;
  /** The name of this process among its replicas. */
  readonly process: string;
}

export interface ServiceParts {
  readonly stores: ServiceStores;
  readonly host: ServedHost & { readonly usage: () => readonly InstallationUsage[] };
  readonly poster: WebhookPoster;
  /** Reads a kept test report again. */
  readonly readKept: TestServiceOptions["readKept"];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly replicas: Replicas;
  readonly settings: ServiceSettings;
}
