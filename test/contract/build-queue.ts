import type { Event } from "../../src/engine/model/event.ts";
import type { RepositoryRef } from "../../src/engine/model/queue.ts";
import type { QueueCommit, QueueRecord } from "../../src/store/queue/queue-store.ts";

export const repo: RepositoryRef = { host: "github.com", owner: "Octo-Org", name: "Train" };

export function buildQueue(given: Partial<QueueRecord> = {}): QueueRecord {
  return {
    id: "queue-1",
    repo,
    branch: "main",
    installationId: 42,
    repositoryId: 7,
    createdAt: 1_000,
    ...given,
  };
}

export function buildEvent(seq: number): Event {
  return { seq, at: 1_000 + seq, data: { type: "entry_due", pr: seq } };
}

/** Events with the given numbers, both ends inclusive. */
export function buildEvents(first: number, last: number): readonly Event[] {
  return Array.from({ length: last - first + 1 }, (_, index) => buildEvent(first + index));
}

export function buildCommit(given: Partial<QueueCommit> = {}): QueueCommit {
  return { queueId: "queue-1", events: [], entries: [], tasks: [], settles: [], ...given };
}

/** The commit that creates a queue, with its first event. */
export function buildCreation(queue: QueueRecord = buildQueue()): QueueCommit {
  return buildCommit({ queueId: queue.id, creates: queue, events: [buildEvent(1)] });
}
