import { Instances } from "../observation/instances.ts";
import { RepositoryFiles } from "../observation/repository-files.ts";
import { WebhookChecks } from "../observation/webhook-checks.ts";
import { Directory } from "../runtime/directory.ts";
import { Forecasts } from "../runtime/forecasts.ts";
import { QueueRuntime } from "../runtime/queue-runtime.ts";
import { EntryReader } from "../runtime/views.ts";
import type { ServiceParts } from "../service-parts.ts";

/** The states of the queues, and how to find and read them. */
export type QueueFoundation = ReturnType<typeof wireQueues>;

/** Wires what everything else uses. Commits are told to the other replicas. */
export function wireQueues(parts: ServiceParts) {
  const { stores, host, clock, ids, log, replicas, settings } = parts;
  const { pace, pageUrl } = settings;
  const runtime = new QueueRuntime({ store: stores.queues, clock, ids, log, pace, pageUrl });
  const forecasts = new Forecasts(clock);
  runtime.onCommit((queueId, events, _state, isOwn) => {
    if (isOwn && events.length > 0) replicas.broadcast({ kind: "queue", queueId });
  });
  return {
    outbox: stores.outbox,
    instances: new Instances({ instances: stores.instances, cursors: stores.cursors, clock, ids, log }),
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
