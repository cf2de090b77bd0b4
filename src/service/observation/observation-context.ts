import type { ReplicaNote } from "../replicas/replicas.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { CheckWatcher, type ExplainChecks, hintOf } from "./check-watcher.ts";
import { FreezeWatcher } from "./freeze-watcher.ts";
import type { QueueContext } from "./queue-context.ts";
import { BaseReadings, PullRequestReadings, type Readings } from "./readings.ts";
import { RepositoryAccess } from "./repository-access.ts";
import type { RepositoryFiles } from "./repository-files.ts";
import { RequirementsWatcher } from "./requirements-watcher.ts";
import type { WebhookChecks } from "./webhook-checks.ts";
import { WebhookObserver } from "./webhook-observer.ts";

/** The longest time for which a reading that looks older than the known state is not accepted. GitHub's replicas lag for seconds. */
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

export interface NoteReceivers {
  readonly runtime: Pick<QueueRuntime, "state">;
  readonly webhookChecks: Pick<WebhookChecks, "receive">;
  readonly watcher: Pick<CheckWatcher, "receive">;
  readonly readings: Readings;
  readonly files: Pick<RepositoryFiles, "receive">;
}

/** Remembers what another replica has learned, as if this one had learned it. */
export async function receiveNote(receivers: NoteReceivers, note: ReplicaNote): Promise<void> {
  const { runtime, webhookChecks, watcher, readings, files } = receivers;
  switch (note.kind) {
    case "queue":
      await runtime.state(note.queueId);
      return;
    case "check": {
      webhookChecks.receive(note.repo, note.sha, note.check);
      const hint = hintOf(note.repo, note.sha, note.check);
      if (hint) watcher.receive(hint);
      return;
    }
    case "pull_request":
      readings.pulls.note(note.repo, note.pr, note.changedAt);
      return;
    case "forced_push":
      readings.bases.noteForcedPush(note.queueId, note.sha);
      return;
    case "repository_file":
      files.receive(note.repo, note.branch);
  }
}
