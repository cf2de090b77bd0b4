import { createTestService } from "../flaky/service/create-test-service.ts";
import { checkExplainer } from "../flaky/service/explain-checks.ts";
import { RequestCounts } from "./access/request-counts.ts";
import { SealedKeys, SecretSeal } from "./access/secret-seal.ts";
import { Tokens } from "./access/tokens.ts";
import { AlarmClock, TimeoutReadings } from "./observation/deadlines.ts";
import { receiveNote } from "./observation/receive-note.ts";
import { ForkRuns } from "./queues/fork-runs.ts";
import { MergeQueues } from "./queues/merge-queues.ts";
import { TestedCommits } from "./queues/tested-commits.ts";
import type { ServiceParts } from "./service-parts.ts";
import { CommandReplies } from "./status/notices.ts";
import { createTaskWorker } from "./wiring/create-task-worker.ts";
import { createWebhookService } from "./wiring/create-webhook-service.ts";
import { type LeadingWork, wireLeadingWork } from "./wiring/wire-leading-work.ts";
import { wireMetrics } from "./wiring/wire-metrics.ts";
import { wireObservation } from "./wiring/wire-observation.ts";
import { wireQueues } from "./wiring/wire-queues.ts";

/** Wires the use cases and their background workers. Nothing runs before `start`. */
export function createService(parts: ServiceParts) {
  const { stores, clock, ids, log, replicas, settings } = parts;
  const { testAddresses, encryptionKeys, branches } = settings;
  const foundation = wireQueues(parts);
  const { runtime, directory, outbox, files, webhookChecks, instances } = foundation;
  const explain = checkExplainer(stores.testReads, clock);
  const observation = wireObservation(parts, foundation, explain);
  const { watcher, reach, readings, relay, freezes, requirements, doctor } = observation;
  const worker = createTaskWorker({ ...parts, ...foundation, ...observation });
  outbox.onAdded(() => worker.wake());
  const webhooks = createWebhookService(parts);
  runtime.onCommit(() => {
    worker.wake();
    webhooks.wake();
  });
  const keys = new SealedKeys(stores.signingKeys, new SecretSeal(encryptionKeys));
  const tests = createTestService({
    stores,
    directory,
    clock,
    ids,
    log,
    stateOf: (queueId) => runtime.state(queueId),
    keys,
    addresses: testAddresses,
    onAnnounce: () => webhooks.wake(),
    testBranchPrefix: branches.test,
    leaseMs: settings.leaseMs,
    retentionMs: settings.testRetentionMs,
    readKept: parts.readKept,
  });
  const { audit, work: queueWork } = wireLeadingWork(parts, foundation, observation);
  const measured = wireMetrics(parts, foundation);
  const leading: LeadingWork[] = [...queueWork, measured.health, webhooks.sweeper, tests];
  const timeouts = new TimeoutReadings({ runtime, directory, watcher, outbox, clock });
  const alarms = new AlarmClock(runtime, timeouts, { clock, log });

  return {
    queues: new MergeQueues({
      ...foundation,
      reach,
      doctor,
      branches,
      clock,
      ids,
      readings: readings.pulls,
      store: stores.queues,
      targets: stores.targets,
      submitLabel: settings.submitLabel,
      publicPages: settings.publicPages,
    }),
    testedCommits: new TestedCommits({ directory, history: stores.history, pageUrl: settings.pageUrl }),
    runtime,
    directory,
    files,
    instances,
    webhookChecks,
    watcher,
    reach,
    relay,
    requirements,
    doctor,
    audit,
    ...measured,
    forkRuns: new ForkRuns(directory),
    tokens: new Tokens(stores.tokens, clock),
    requestCounts: new RequestCounts({ store: stores.requestCounts, replicas, clock, log }),
    notices: new CommandReplies(stores.publications, directory, outbox, clock),
    webhooks: webhooks.webhooks,
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
      webhooks.sender.start();
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
      await webhooks.sender.stop();
      await runtime.rest();
    },
  };
}

export type Service = ReturnType<typeof createService>;
