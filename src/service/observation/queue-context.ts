import type { InstallationUsage } from "../../ports/code-host/app.ts";
import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { Store } from "../../store/create-stores.ts";
import type { DoctorSettings } from "../doctor/doctor.ts";
import type { Replicas } from "../replicas/replicas.ts";
import { Directory, type PageUrl, type ServedHost } from "../runtime/directory.ts";
import { Forecasts } from "../runtime/forecasts.ts";
import type { Pace } from "../runtime/plan-tasks.ts";
import { QueueRuntime } from "../runtime/queue-runtime.ts";
import { EntryReader } from "../runtime/views.ts";
import { Instances } from "./instances.ts";
import type { BranchPrefixes } from "./own-branches.ts";
import { RepositoryFiles } from "./repository-files.ts";
import { WebhookChecks } from "./webhook-checks.ts";

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
  /** Encryption keys for secrets, the current one first. When empty, no webhook can be created. */
  readonly encryptionKeys: readonly Buffer[];
  readonly webhookRetentionMs: number;
  /** How long pull requests and test runs that have ended are kept. */
  readonly historyMs: number;
  /** How long test results are kept. */
  readonly testRetentionMs: number;
  /** The name of this process among its replicas. */
  readonly process: string;
}

/** What surrounds the services: the database, the code host, the other replicas, time and chance. */
export interface ServiceWorld {
  readonly stores: Store;
  readonly host: ServedHost & { readonly usage: () => readonly InstallationUsage[] };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly replicas: Replicas;
  readonly settings: ServiceSettings;
}

/** What the services of queues share: the world, the states of the queues, and how to find and read queues. */
export interface QueueContext extends ReturnType<typeof createQueueContext> {}

/** Publishes commits to the other replicas. */
export function createQueueContext(world: ServiceWorld) {
  const { stores, host, clock, ids, log, replicas, settings } = world;
  const { pace, pageUrl } = settings;
  const runtime = new QueueRuntime({ store: stores.queues, clock, ids, log, pace, pageUrl });
  const forecasts = new Forecasts(clock);
  runtime.onCommit((queueId, events, _state, isOwn) => {
    if (isOwn && events.length > 0) replicas.broadcast({ kind: "queue", queueId });
  });
  return {
    ...world,
    outbox: stores.outbox,
    instances: new Instances(stores, clock, ids, log),
    runtime,
    directory: new Directory(stores.queues, host),
    forecasts,
    reader: new EntryReader({ store: stores.queues, targets: stores.targets, forecasts, runtime, pageUrl }),
    files: new RepositoryFiles(host.api, clock, (repo, branch) =>
      replicas.broadcast({ kind: "repository_file", repo, branch }),
    ),
    webhookChecks: new WebhookChecks(clock, (repo, sha, check) =>
      replicas.broadcast({ kind: "check", repo, sha, check }),
    ),
  };
}
