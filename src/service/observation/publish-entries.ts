import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Outbox } from "../../store/leased/outbox.ts";
import { maxShown, publishTask } from "../runtime/plan-tasks.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";

export interface PublishingParts {
  readonly runtime: QueueRuntime;
  readonly outbox: Pick<Outbox, "add">;
  readonly clock: Clock;
}

/** Updates the checks and comments of a queue's entries, because something about the whole queue has changed. */
export async function publishEntries(
  { runtime, outbox, clock }: PublishingParts,
  queueId: string,
): Promise<void> {
  const { repo, entries } = await runtime.state(queueId);
  for (const pr of [...entries.keys()].slice(0, maxShown))
    await outbox.add(publishTask(repo, pr, clock.now()));
}
