import { AuditTrail } from "./access/audit-trail.ts";
import { ForkRuns } from "./access/fork-runs.ts";
import { RequestCounts } from "./access/request-counts.ts";
import { SealedKeys } from "./access/sealed-keys.ts";
import { Tokens } from "./access/tokens.ts";
import { UnacceptedPermissions } from "./access/unaccepted-permissions.ts";
import { QueueDoctor } from "./doctor/queue-doctor.ts";
import { CommandTimes } from "./metrics/command-times.ts";
import { OrganisationMetrics } from "./metrics/organisation-metrics.ts";
import { QueueMetrics } from "./metrics/queue-metrics.ts";
import { AlarmClock } from "./observation/alarm-clock.ts";
import { BaseReadings } from "./observation/base-readings.ts";
import { CheckWatcher } from "./observation/check-watcher.ts";
import { FreezeWatcher } from "./observation/freeze-watcher.ts";
import { PullRequestReadings } from "./observation/pull-request-readings.ts";
import type { Readings } from "./observation/readings.ts";
import { Reconciler } from "./observation/reconciler.ts";
import { RepositoryFiles } from "./observation/repository-files.ts";
import { WebhookObserver } from "./observation/webhook-observer.ts";
import { Directory } from "./queue/directory.ts";
import { EntryReader } from "./queue/entry-reader.ts";
import { Forecasts } from "./queue/forecasts.ts";
import { HistorySweeper } from "./queue/history-sweeper.ts";
import { MergeQueues } from "./queue/merge-queues.ts";
import { QueueReach } from "./queue/queue-reach.ts";
import { QueueRuntime } from "./queue/queue-runtime.ts";
import { hearNote } from "./replicas/hear-note.ts";
import type { ServiceParts } from "./service-parts.ts";
import { CommandReplies } from "./status/command-replies.ts";
import { ToldChecks } from "./status/told-checks.ts";
import { createTaskWorker } from "./tasks/create-task-worker.ts";
import { OwnBranches } from "./tasks/own-branches.ts";
import { BranchSweeper } from "./tasks/sweep-branches.ts";
import { wakingOutbox } from "./tasks/waking-outbox.ts";
import { createTestService } from "./tests/create-test-service.ts";
import { TestReader } from "./tests/test-reader.ts";
import { createWebhookService } from "./webhooks/create-webhook-service.ts";
import { SecretSeal } from "./webhooks/secret-seal.ts";

/**
 * The longest time after which a reading that looks older than the known state is accepted. GitHub's replicas
 * lag for seconds.
 */
const maxOlderMs = 30_000;

/** Work that only one of several replicas does at a time. It may be started again. */
export interface LeadingWork {
  start(): void;
  stop(): Promise<void>;
}

/** Wires the use cases and their background workers. Nothing runs before `start`. */
export function createService(parts: ServiceParts) {
  const { stores, host, clock, ids, log, replicas, settings } = parts;
  const { queues: store, targets, publications, heads } = stores;
  const outbox = wakingOutbox(stores.outbox, () => worker.wake());
  const { pace, branches, queueUrl, leaseMs } = settings;
  const runtime = new QueueRuntime({ store, clock, ids, log, pace, queueUrl });
  const directory = new Directory(store, host);
  const files = new RepositoryFiles(host.api, clock, (repo, branch) =>
    replicas.tell({ kind: "repository_file", repo, branch }),
  );
  const forecasts = new Forecasts(clock);
  const reader = new EntryReader(store, targets, forecasts);
  const toldChecks = new ToldChecks(clock, (repo, sha, check) =>
    replicas.tell({ kind: "check", repo, sha, check }),
  );
  const watcher = new CheckWatcher({
    runtime,
    directory,
    outbox,
    tests: stores.testReads,
    toldChecks,
    clock,
    log,
  });
  const reach = new QueueReach({
    runtime,
    directory,
    reader: host.api,
    store,
    outbox,
    watcher,
    unaccepted: new UnacceptedPermissions(settings.appPermissions, log),
    // In every second round of the reconciler.
    checkEveryMs: 2 * settings.reconcileMs,
    clock,
    log,
  });
  const olderMs = Math.min(maxOlderMs, 5 * settings.reconcileMs);
  const readings: Readings = {
    bases: new BaseReadings(directory, clock, olderMs),
    pulls: new PullRequestReadings(heads, clock, olderMs),
  };
  const relay = new WebhookObserver({ runtime, readings, directory, heads, outbox, reach, replicas, clock });
  const ownBranches = new OwnBranches(runtime, store, branches);
  const sweeper = new BranchSweeper(directory, branches, ownBranches, clock, log);
  const doctor = new QueueDoctor({
    runtime,
    directory,
    reader: host.api,
    branches,
    settings: settings.doctor,
    clock,
    log,
  });
  const alarms = new AlarmClock(runtime, clock, log);
  const freezes = new FreezeWatcher({ runtime, directory, files, clock, log });
  const worker = createTaskWorker({
    ...parts,
    runtime,
    directory,
    files,
    freezes,
    reader,
    outbox,
    reach,
    readings,
  });
  const reconciler = new Reconciler({
    runtime,
    directory,
    relay,
    watcher,
    sweeper,
    reach,
    freezes,
    heads,
    outbox,
    queues: stores.queues,
    meters: stores.meters,
    clock,
    log,
    intervalMs: settings.reconcileMs,
  });
  runtime.onCommit(() => worker.wake());
  runtime.onCommit((queueId, events, _state, isOwn) => {
    if (isOwn && events.length > 0) replicas.tell({ kind: "queue", queueId });
  });
  const audit = new AuditTrail({ entries: stores.audit, clock, log, retentionMs: settings.auditMs });
  const history = new HistorySweeper(stores.history, clock, log, settings.historyMs);
  const commandTimes = new CommandTimes();
  const keys = new SealedKeys(stores.signingKeys, new SecretSeal(settings.encryptionKeys));
  const ofWebhooks = createWebhookService(parts);
  runtime.onCommit(() => ofWebhooks.wake());
  const ofTests = createTestService({
    stores,
    directory,
    stateOf: (queueId) => runtime.state(queueId),
    clock,
    ids,
    log,
    testUrl: settings.testAddresses.test,
    onAnnounce: () => ofWebhooks.wake(),
    testBranchPrefix: branches.test,
    leaseMs,
    retentionMs: settings.testRetentionMs,
    readKept: parts.readKept,
  });
  const leading: LeadingWork[] = [reconciler, audit, history, ofWebhooks.sweeper, ofTests];

  return {
    queues: new MergeQueues({
      runtime,
      readings: readings.pulls,
      directory,
      store,
      targets,
      forecasts,
      files,
      toldChecks,
      reach,
      doctor,
      branches,
      submitLabel: settings.submitLabel,
      clock,
      ids,
    }),
    doctor,
    files,
    audit,
    forkRuns: new ForkRuns(directory),
    knownTests: new TestReader({
      tests: stores.testReads,
      keys,
      clock,
      addresses: settings.testAddresses,
    }),
    tokens: new Tokens(stores.tokens, clock),
    metrics: new QueueMetrics({ tallies: stores.tallies, runtime, directory, clock }),
    webhooks: ofWebhooks.webhooks,
    tests: ofTests.ingest,
    bundles: ofTests.bundles,
    testRepositories: ofTests.repositories,
    quarantines: ofTests.quarantines,
    testSettings: ofTests.settings,
    commandTimes,
    requestCounts: new RequestCounts({ store: stores.requestCounts, replicas, clock, log }),
    organisationMetrics: new OrganisationMetrics({
      meters: stores.meters,
      outbox,
      inbox: stores.inbox,
      tests: stores.testCounts,
      tableSizes: stores.tableSizes,
      endpoints: stores.webhookEndpoints,
      queues: store,
      commands: commandTimes,
      codeHost: host.usage,
      process: settings.process,
      clock,
    }),
    notices: new CommandReplies(publications, directory, outbox, clock),
    directory,
    runtime,
    relay,
    reach,
    watcher,
    toldChecks,
    /** Adds work that only one of several replicas does. Must be called before `start`. */
    whileLeading(work: LeadingWork): void {
      leading.push(work);
    },
    async start(): Promise<void> {
      await keys.resealAll(log);
      for (const queue of await store.list()) alarms.set(await runtime.state(queue.id));
      worker.start();
      ofWebhooks.sender.start();
      await replicas.start({
        lead() {
          for (const work of leading) work.start();
        },
        async follow() {
          for (const work of leading) await work.stop();
        },
        hear: (note) => hearNote({ runtime, toldChecks, watcher, readings, files }, note),
        catchUp: (queueId, last) => runtime.catchUp(queueId, last),
      });
    },
    /** Ends the work that only one of several replicas does, so that another one does it. */
    async resign(): Promise<void> {
      await replicas.stop();
    },
    /** Finishes the work in progress and starts nothing more. */
    async stop(): Promise<void> {
      alarms.stop();
      await replicas.stop();
      await freezes.stop();
      await worker.stop();
      await ofWebhooks.sender.stop();
      await runtime.rest();
    },
  };
}

export type Service = ReturnType<typeof createService>;
