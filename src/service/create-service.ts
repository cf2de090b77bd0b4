import type { RepositoryRef } from "../engine/queue.ts";
import type { AuditLog } from "../ports/audit-log.ts";
import type { CodeHostUsage } from "../ports/code-host-usage.ts";
import type { CursorStore } from "../ports/cursor-store.ts";
import type { HeadLog } from "../ports/head-log.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { MeterStore } from "../ports/meter-store.ts";
import type { Outbox, OutboxRow } from "../ports/outbox.ts";
import type { PublicationStore } from "../ports/publication-store.ts";
import type { QueueStore } from "../ports/queue-store.ts";
import type { Clock, Ids, Logger } from "../ports/runtime.ts";
import type { SigningKeys } from "../ports/signing-keys.ts";
import type { TallyStore } from "../ports/tally-store.ts";
import type { TargetStore } from "../ports/target-store.ts";
import type { TestCounts } from "../ports/test-counts.ts";
import type { TokenStore } from "../ports/token-store.ts";
import type { WebhookDeliveries } from "../ports/webhook-deliveries.ts";
import type { WebhookEndpoints } from "../ports/webhook-endpoints.ts";
import type { WebhookPoster } from "../ports/webhook-poster.ts";
import { AlarmClock } from "./alarm-clock.ts";
import { AuditTrail } from "./audit-trail.ts";
import { TestCommitBuilder } from "./build-test-commit.ts";
import { CheckWatcher } from "./check-watcher.ts";
import { Directory, type ServedHost } from "./directory.ts";
import { EntryReader } from "./entry-reader.ts";
import { HeadExaminer } from "./examine-head.ts";
import { createTestService, type TestStores } from "./flaky/create-test-service.ts";
import { type TestAddresses, TestReader } from "./flaky/test-reader.ts";
import { Forecasts } from "./forecasts.ts";
import { ForkRuns } from "./fork-runs.ts";
import { LeasedWorker } from "./leased-worker.ts";
import { MergeExecutor } from "./merge-entries.ts";
import { MergeQueues } from "./merge-queues.ts";
import { CommandTimes } from "./metrics/command-times.ts";
import { OrganisationMetrics } from "./metrics/organisation-metrics.ts";
import { QueueMetrics } from "./metrics/queue-metrics.ts";
import { Notices } from "./notices.ts";
import { PullRequestObserver } from "./observe-pull-request.ts";
import { StatusPublisher } from "./publish-status.ts";
import { QueueRuntime } from "./queue-runtime.ts";
import { interludeMs, type Pace } from "./queue-tasks.ts";
import { Reconciler } from "./reconciler.ts";
import { Relay } from "./relay.ts";
import { BranchRemover } from "./remove-test-branch.ts";
import { RepositoryFiles } from "./repository-files.ts";
import { FailedCheckRerunner } from "./rerun-failed-checks.ts";
import { StateLabels } from "./state-labels.ts";
import { type BranchPrefixes, BranchSweeper } from "./sweep-branches.ts";
import { TaskExecutor } from "./task-executor.ts";
import { Tokens } from "./tokens.ts";
import { SecretSeal } from "./webhooks/secret-seal.ts";
import { WebhookSender } from "./webhooks/webhook-sender.ts";
import { WebhookSweeper } from "./webhooks/webhook-sweeper.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

export interface ServiceStores extends TestStores {
  readonly queues: QueueStore;
  readonly outbox: Outbox;
  readonly tokens: TokenStore;
  readonly publications: PublicationStore;
  readonly targets: TargetStore;
  readonly heads: HeadLog;
  readonly cursors: CursorStore;
  readonly tallies: TallyStore;
  readonly audit: AuditLog;
  readonly inbox: Inbox;
  readonly meters: MeterStore;
  readonly signingKeys: SigningKeys;
  readonly testCounts: TestCounts;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
}

export interface ServiceSettings {
  readonly branches: BranchPrefixes;
  readonly commandPrefix: string;
  readonly pace: Pace;
  readonly leaseMs: number;
  readonly reconcileMs: number;
  /** How long it is kept who did what. */
  readonly auditMs: number;
  readonly queueUrl: (repo: RepositoryRef, branch: string) => string | null;
  readonly testAddresses: TestAddresses;
  /** Keys that secrets are kept under, the current one first; none: no webhook can be made. */
  readonly encryptionKeys: readonly Buffer[];
  /** How long a delivered webhook is remembered. */
  readonly webhookRetentionMs: number;
  /** How long it is kept what tests came to. */
  readonly testRetentionMs: number;
  /** What this process is called among its replicas. */
  readonly process: string;
}

export interface ServiceParts {
  readonly stores: ServiceStores;
  readonly host: ServedHost & { readonly usage: CodeHostUsage };
  readonly poster: WebhookPoster;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly settings: ServiceSettings;
}

const tasksAtOnce = 16;

/** Wires the use cases and the workers behind them. Nothing runs before `start`. */
export function createService({ stores, host, poster, clock, ids, log, settings }: ServiceParts) {
  const { queues: store, targets, publications, heads, webhookDeliveries } = stores;
  const outbox = waking(stores.outbox, () => worker.wake());
  const { pace, branches, commandPrefix, queueUrl, leaseMs } = settings;
  const runtime = new QueueRuntime({ store, clock, ids, log, pace, queueUrl });
  const directory = new Directory(store, host);
  const files = new RepositoryFiles(host.api, clock);
  const forecasts = new Forecasts(clock);
  const reader = new EntryReader(store, targets, forecasts);
  const relay = new Relay({ runtime, directory, heads, outbox, clock });
  const watcher = new CheckWatcher({ runtime, directory, outbox, tests: stores.testReads, clock, log });
  const sweeper = new BranchSweeper(runtime, directory, branches, clock, log);
  const alarms = new AlarmClock(runtime, clock, log);
  const executor = new TaskExecutor({
    outbox,
    clock,
    log,
    builder: new TestCommitBuilder(runtime, directory, files, branches.test),
    merger: new MergeExecutor(runtime, directory),
    remover: new BranchRemover(directory, branches.test),
    publisher: new StatusPublisher({
      runtime,
      directory,
      reader,
      publications,
      outbox,
      labels: new StateLabels({ codeHost: host.api, files }),
      queueUrl,
      commandPrefix,
      clock,
      waitingCheckMs: interludeMs(pace),
    }),
    observer: new PullRequestObserver(runtime, directory, clock, pace.mergeabilityMs),
    examiner: new HeadExaminer(runtime, directory, files),
    rerunner: new FailedCheckRerunner(runtime, directory, clock),
  });
  const worker = new LeasedWorker<OutboxRow>({
    name: "outbox",
    owner: ids.next(),
    rows: {
      claim: (claim) => outbox.claim(claim),
      renew: (row, leaseUntil) => outbox.renew(row.id, leaseUntil),
      nextDue: () => outbox.nextDue(),
    },
    execute: (row) => executor.execute(row),
    clock,
    log,
    leaseMs,
    concurrency: tasksAtOnce,
  });
  const reconciler = new Reconciler({
    runtime,
    directory,
    relay,
    watcher,
    sweeper,
    heads,
    outbox,
    meters: stores.meters,
    clock,
    log,
    intervalMs: settings.reconcileMs,
  });
  runtime.onCommit(() => worker.wake());
  const audit = new AuditTrail({ entries: stores.audit, clock, log, retentionMs: settings.auditMs });
  const commandTimes = new CommandTimes();
  const seal = new SecretSeal(settings.encryptionKeys);
  const endpoints = stores.webhookEndpoints;
  const sender = new WebhookSender({
    endpoints,
    deliveries: webhookDeliveries,
    poster,
    seal,
    owner: ids.next(),
    clock,
    random: Math.random,
    log,
    leaseMs,
  });
  const webhookSweeper = new WebhookSweeper(webhookDeliveries, clock, log, settings.webhookRetentionMs);
  runtime.onCommit(() => sender.wake());
  const ofTests = createTestService({
    stores,
    directory,
    clock,
    ids,
    log,
    testUrl: settings.testAddresses.test,
    onAnnounce: () => sender.wake(),
    testBranchPrefix: branches.test,
    leaseMs,
    retentionMs: settings.testRetentionMs,
  });

  return {
    queues: new MergeQueues({ runtime, directory, store, targets, heads, forecasts, files, clock, ids }),
    files,
    audit,
    forkRuns: new ForkRuns(directory),
    knownTests: new TestReader({
      tests: stores.testReads,
      keys: stores.signingKeys,
      clock,
      addresses: settings.testAddresses,
    }),
    tokens: new Tokens(stores.tokens, clock),
    metrics: new QueueMetrics({ tallies: stores.tallies, runtime, directory, clock }),
    webhooks: new Webhooks({
      endpoints,
      deliveries: webhookDeliveries,
      poster,
      seal,
      clock,
      onChange: () => sender.lookAgain(),
    }),
    tests: ofTests.ingest,
    bundles: ofTests.bundles,
    quarantines: ofTests.quarantines,
    testSettings: ofTests.settings,
    commandTimes,
    organisationMetrics: new OrganisationMetrics({
      meters: stores.meters,
      outbox,
      inbox: stores.inbox,
      tests: stores.testCounts,
      endpoints,
      queues: store,
      commands: commandTimes,
      codeHost: host.usage,
      process: settings.process,
      clock,
    }),
    notices: new Notices(publications, outbox, clock),
    directory,
    runtime,
    relay,
    watcher,
    async start(): Promise<void> {
      for (const queue of await store.list()) alarms.set(await runtime.state(queue.id));
      worker.start();
      reconciler.start();
      audit.start();
      sender.start();
      webhookSweeper.start();
      ofTests.start();
    },
    /** Finishes what is under way and starts nothing more. */
    async stop(): Promise<void> {
      alarms.stop();
      await reconciler.stop();
      await audit.stop();
      await worker.stop();
      await sender.stop();
      await webhookSweeper.stop();
      await ofTests.stop();
      await runtime.rest();
    },
  };
}

export type Service = ReturnType<typeof createService>;

/** An outbox whose worker looks at once at what is put in. */
function waking(outbox: Outbox, wake: () => void): Outbox {
  return {
    add: async (planned) => {
      await outbox.add(planned);
      wake();
    },
    claim: (claim) => outbox.claim(claim),
    settle: (id) => outbox.settle(id),
    postpone: (id, notBefore, error) => outbox.postpone(id, notBefore, error),
    renew: (id, leaseUntil) => outbox.renew(id, leaseUntil),
    nextDue: () => outbox.nextDue(),
    backlog: () => outbox.backlog(),
    depth: () => outbox.depth(),
  };
}
