import { UnacceptedPermissions } from "../access/app-gaps.ts";
import { CheckWatcher, type ExplainChecks } from "../observation/check-watcher.ts";
import { FreezeWatcher } from "../observation/freeze-watcher.ts";
import { BaseReadings, PullRequestReadings, type Readings } from "../observation/readings.ts";
import { RepositoryAccess } from "../observation/repository-access.ts";
import { RequirementsWatcher } from "../observation/requirements-watcher.ts";
import { WebhookObserver } from "../observation/webhook-observer.ts";
import { QueueDoctor } from "../queues/queue-doctor.ts";
import type { ServiceParts } from "../service-parts.ts";
import type { QueueFoundation } from "./wire-queues.ts";

/**
 * The longest time after which a reading that looks older than the known state is accepted. GitHub's replicas
 * lag for seconds.
 */
const maxOlderMs = 30_000;

/** What the service learns from GitHub, by webhooks and by reading. */
export type Observation = ReturnType<typeof wireObservation>;

export function wireObservation(parts: ServiceParts, foundation: QueueFoundation, explain: ExplainChecks) {
  const { stores, host, clock, log, replicas, settings } = parts;
  const { heads } = stores;
  const { runtime, directory, outbox, files, webhookChecks, instances } = foundation;
  const watcher = new CheckWatcher({
    runtime,
    directory,
    outbox,
    webhookChecks,
    clock,
    log,
    explain,
  });
  const reach = new RepositoryAccess({
    runtime,
    directory,
    outbox,
    watcher,
    instances,
    clock,
    log,
    reader: host.api,
    unaccepted: new UnacceptedPermissions(settings.appPermissions, log),
    // In every second round of the reconciler.
    checkEveryMs: 2 * settings.reconcileMs,
  });
  const olderMs = Math.min(maxOlderMs, 5 * settings.reconcileMs);
  const readings: Readings = {
    bases: new BaseReadings(directory, clock, olderMs),
    pulls: new PullRequestReadings(heads, clock, olderMs),
  };
  return {
    watcher,
    reach,
    readings,
    relay: new WebhookObserver({ runtime, readings, directory, heads, outbox, reach, replicas, clock }),
    freezes: new FreezeWatcher({ runtime, directory, files, clock, log }),
    requirements: new RequirementsWatcher({ runtime, directory, files, log }),
    doctor: new QueueDoctor({
      runtime,
      directory,
      clock,
      log,
      reader: host.api,
      branches: settings.branches,
      settings: settings.doctor,
      damage: stores.damage,
    }),
  };
}
