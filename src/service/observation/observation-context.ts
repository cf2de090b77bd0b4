import { CheckWatcher, type ExplainChecks } from "./check-watcher.ts";
import { FreezeWatcher } from "./freeze-watcher.ts";
import type { QueueContext } from "./queue-context.ts";
import { BaseReadings, PullRequestReadings, type Readings } from "./readings.ts";
import { RepositoryAccess } from "./repository-access.ts";
import { RequirementsWatcher } from "./requirements-watcher.ts";
import { WebhookObserver } from "./webhook-observer.ts";

/**
 * The longest time after which a reading that looks older than the known state is accepted. GitHub's replicas
 * lag for seconds.
 */
const maxOlderMs = 30_000;

/** The queues, and what the service learns about them from GitHub, by webhooks and by reading. */
export interface ObservationContext extends ReturnType<typeof createObservationContext> {}

export function createObservationContext(context: QueueContext, explain: ExplainChecks) {
  const { stores, clock, directory, settings } = context;
  const watcher = new CheckWatcher(context, explain);
  const reach = new RepositoryAccess(context, watcher);
  const olderMs = Math.min(maxOlderMs, 5 * settings.reconcileMs);
  const readings: Readings = {
    bases: new BaseReadings(directory, clock, olderMs),
    pulls: new PullRequestReadings(stores.heads, clock, olderMs),
  };
  return {
    ...context,
    watcher,
    reach,
    readings,
    relay: new WebhookObserver(context, readings, reach),
    freezes: new FreezeWatcher(context),
    requirements: new RequirementsWatcher(context),
  };
}
