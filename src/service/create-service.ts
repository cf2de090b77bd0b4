import { createTestService } from "../flaky/service/create-test-service.ts";
import { checkExplainer } from "../flaky/service/explain-checks.ts";
import type { TestServiceOptions } from "../flaky/service/test-context.ts";
import type { WebhookPoster } from "../ports/webhooks/webhook-poster.ts";
import { AuditTrail } from "./access/audit-trail.ts";
import { CommandLineSignIns } from "./access/command-line-sign-ins.ts";
import { RequestCounts } from "./access/request-counts.ts";
import { SealedKeys, SecretSeal } from "./access/secret-seal.ts";
import { Tokens } from "./access/tokens.ts";
import { CommandTimes } from "./metrics/command-times.ts";
import { QueueHealth } from "./metrics/health/queue-health.ts";
import { OrganisationMetrics } from "./metrics/organisation-metrics.ts";
import { QueueMetrics } from "./metrics/queue-metrics.ts";
import { AlarmClock, TimeoutReadings } from "./observation/deadlines.ts";
import { GivenUpDeliveries } from "./observation/given-up-deliveries.ts";
import { createObservationContext, receiveNote } from "./observation/observation-context.ts";
import { createQueueContext, type ServiceWorld } from "./observation/queue-context.ts";
import { Reconciler } from "./observation/reconciler.ts";
import { RepositoryRoles } from "./observation/repository-roles.ts";
import { FailureAnnotations } from "./queues/failure-annotations.ts";
import { ForkRuns } from "./queues/fork-runs.ts";
import { MergeQueues } from "./queues/merge-queues.ts";
import { QueueDoctor } from "./queues/queue-doctor.ts";
import { QueueOverview } from "./queues/queue-overview.ts";
import { QueuePast } from "./queues/queue-past.ts";
import { TestedCommits } from "./queues/tested-commits.ts";
import { HistorySweeper } from "./runtime/history-sweeper.ts";
import { PastKeeper } from "./runtime/past-keeper.ts";
import { CommandReplies } from "./status/notices.ts";
import { createTaskWorker } from "./tasks/task-executor.ts";
import { WebhookSender } from "./webhooks/webhook-sender.ts";
import { WebhookSweeper } from "./webhooks/webhook-sweeper.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/** Work that only one of several replicas does at a time. It may be started again. */
export interface LeadingWork {
  start(): void;
  stop(): Promise<void>;
}

export interface ServiceOptions extends ServiceWorld {
  readonly poster: WebhookPoster;
  /** The pages of tests, and how a kept report is read again. */
  readonly reports: Pick<TestServiceOptions, "addresses" | "readKept">;
}

/** Wires the use cases and their background workers. Nothing runs before `start`. */
export function createService({ poster, reports, ...world }: ServiceOptions) {
  const { stores, clock, ids, log, replicas, settings } = world;
  const { leaseMs } = settings;
  const context = createObservationContext(
    createQueueContext(world),
    checkExplainer(stores.testReads, clock),
  );
  const { runtime, directory, outbox, files, webhookChecks, watcher, readings, freezes } = context;
  const worker = createTaskWorker(context);
  outbox.onAdded(() => worker.wake());
  const seal = new SecretSeal(settings.encryptionKeys);
  const keys = new SealedKeys(stores.signingKeys, seal);
  const { webhookEndpoints: endpoints, webhookDeliveries: deliveries } = stores;
  const outbound = { endpoints, deliveries, poster, seal, clock };
  const sender = new WebhookSender({ ...outbound, owner: ids.next(), random: Math.random, log, leaseMs });
  runtime.onCommit(() => {
    worker.wake();
    sender.wake();
  });
  const tests = createTestService({
    ...{ stores, directory, clock, ids, log, keys, leaseMs, ...reports },
    stateOf: (queueId) => runtime.state(queueId),
    onAnnounce: () => sender.wake(),
    testBranchPrefix: settings.branches.test,
    retentionMs: settings.testRetentionMs,
  });
  const audit = new AuditTrail(stores.audit, clock, log, settings.auditMs);
  const health = new QueueHealth({ store: stores.health, history: stores.history, directory, clock, log });
  const metrics = new QueueMetrics(stores.tallies, clock, log);
  const commandTimes = new CommandTimes();
  const doctor = new QueueDoctor(context);
  const leading: LeadingWork[] = [
    new Reconciler(context),
    audit,
    doctor,
    new HistorySweeper(stores.history, clock, log, settings.historyMs),
    new PastKeeper(stores.past, stores.queues, log),
    health,
    metrics,
    new WebhookSweeper(deliveries, clock, log, settings.webhookRetentionMs),
    tests,
  ];
  const alarms = new AlarmClock(runtime, new TimeoutReadings(context, watcher), { clock, log });

  return {
    ...context,
    queues: new MergeQueues(context, doctor),
    overview: new QueueOverview(context, doctor),
    failures: new FailureAnnotations(directory, log),
    past: new QueuePast(directory, stores.past, stores.queues),
    testedCommits: new TestedCommits(context),
    givenUp: new GivenUpDeliveries(stores.inbox),
    doctor,
    audit,
    health,
    commandTimes,
    metrics,
    organisationMetrics: new OrganisationMetrics(
      stores,
      { name: settings.process, commands: commandTimes, codeHostUsage: world.host.usage },
      clock,
    ),
    forkRuns: new ForkRuns(directory),
    tokens: new Tokens(stores.tokens, clock),
    commandLineSignIns: new CommandLineSignIns(stores.sessions, keys, clock),
    roles: new RepositoryRoles(directory, stores.cursors, clock),
    requestCounts: new RequestCounts(stores.requestCounts, replicas, clock, log),
    notices: new CommandReplies(context),
    webhooks: new Webhooks(outbound, () => sender.lookAgain()),
    knownTests: tests.reader,
    tests: tests.ingest,
    bundles: tests.bundles,
    testRepositories: tests.repositories,
    quarantines: tests.quarantines,
    testSettings: tests.settings,
    /** Adds work that only one of several replicas does. Must be called before `start`. */
    whileLeading(work: LeadingWork): void {
      leading.push(work);
    },
    async start(): Promise<void> {
      await keys.resealAll(log);
      for (const queue of await stores.queues.list()) alarms.set(await runtime.state(queue.id));
      worker.start();
      sender.start();
      await replicas.start({
        lead() {
          for (const work of leading) work.start();
        },
        async follow() {
          for (const work of leading) await work.stop();
        },
        receive: (note) => receiveNote({ runtime, webhookChecks, watcher, readings, files }, note),
        catchUp: (queueId, last) => runtime.catchUp(queueId, last),
      });
    },
    /** Ends the work that only one of several replicas does, so that another replica can take it over. */
    async resign(): Promise<void> {
      await replicas.stop();
    },
    /** Finishes the work in progress and starts nothing more. */
    async stop(): Promise<void> {
      alarms.stop();
      await replicas.stop();
      await freezes.stop();
      await worker.stop();
      await sender.stop();
      await runtime.rest();
    },
  };
}

export type Service = ReturnType<typeof createService>;
