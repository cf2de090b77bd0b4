import type { ReplicaNote } from "../replicas/replicas.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { type CheckWatcher, hintOf } from "./check-watcher.ts";
import type { Readings } from "./readings.ts";
import type { RepositoryFiles } from "./repository-files.ts";
import type { WebhookChecks } from "./webhook-checks.ts";

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
