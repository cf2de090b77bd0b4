import { RepositoryFiles } from "../observation/repository-files.ts";
import { Directory } from "../queue/directory.ts";
import { EntryReader } from "../queue/entry-reader.ts";
import { Forecasts } from "../queue/forecasts.ts";
import { QueueRuntime } from "../queue/queue-runtime.ts";
import type { ServiceParts } from "../service-parts.ts";
import { ToldChecks } from "../status/told-checks.ts";

/** The states of the queues, and how to find and read them. */
export type QueueFoundation = ReturnType<typeof wireQueues>;

/** Wires what everything else uses. Commits are told to the other replicas. */
export function wireQueues(parts: ServiceParts) {
  const { stores, host, clock, ids, log, replicas, settings } = parts;
  const { pace, queueUrl } = settings;
  const runtime = new QueueRuntime({ store: stores.queues, clock, ids, log, pace, queueUrl });
  const forecasts = new Forecasts(clock);
  runtime.onCommit((queueId, events, _state, isOwn) => {
    if (isOwn && events.length > 0) replicas.tell({ kind: "queue", queueId });
  });
  return {
    outbox: stores.outbox,
    runtime,
    directory: new Directory(stores.queues, host),
    forecasts,
    reader: new EntryReader(stores.queues, stores.targets, forecasts, runtime),
    files: new RepositoryFiles(host.api, clock, (repo, branch) =>
      replicas.tell({ kind: "repository_file", repo, branch }),
    ),
    toldChecks: new ToldChecks(clock, (repo, sha, check) =>
      replicas.tell({ kind: "check", repo, sha, check }),
    ),
  };
}
