import type { NamedBranch } from "../../engine/model/queue.ts";
import type { Reach } from "../../ports/code-host/app.ts";
import type { QueuePlace, QueueRecord } from "../../store/queue/queue-store.ts";
import { sameRepository } from "../runtime/directory.ts";
import { maxShown, publishStreams, publishTask } from "../runtime/plan-tasks.ts";
import type { QueueContext } from "./queue-context.ts";

/** Moves queues with their repository, which is identified by its id: its name, owner and installation may change. */
export class RepositoryFollower {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /** @param asked the queue's place when the code host was asked */
  async follow(
    queue: QueueRecord,
    asked: NamedBranch,
    reach: Extract<Reach, { kind: "reached" }>,
  ): Promise<void> {
    const { repo, repositoryId, installation } = reach;
    const place = { repo, installationId: installation.id, repositoryId };
    await this.#relocate(queue, asked, { ...place, branch: reach.branch ?? queue.branch });
    if (sameRepository(queue.repo, repo)) return;
    // The stored data of all queues of the repository has moved.
    for (const other of await this.#context.directory.ofRepository(queue.repo))
      if (other.repositoryId === repositoryId && other.id !== queue.id)
        await this.#relocate(other, other, { ...place, branch: other.branch });
  }

  async #relocate(queue: QueueRecord, asked: NamedBranch, to: QueuePlace): Promise<void> {
    const { runtime, log } = this.#context;
    const place = { ...to, repo: sameRepository(queue.repo, to.repo) ? queue.repo : to.repo };
    const { repo, branch, installationId, repositoryId } = queue;
    const from = { repo, installationId, repositoryId, branch };
    const streams = { from: publishStreams(repo), to: publishStreams(place.repo) };
    const isSame = JSON.stringify(from) === JSON.stringify(place);
    const { refusal, events } = await runtime.dispatch(
      queue.id,
      {
        type: "place_observed",
        from: { repo: asked.repo, branch: asked.branch },
        repo: place.repo,
        branch: place.branch,
      },
      isSame ? {} : { relocates: { place, streams } },
    );
    const fields = { queueId: queue.id, from, place };
    if (refusal?.code === "QUEUE_EXISTS")
      log.warn(
        { ...fields, code: "QUEUE_PLACE_TAKEN" },
        "a queue cannot follow its repository: there is a queue for that branch already. Delete one",
      );
    else if (!isSame) log.info({ ...fields, code: "QUEUE_MOVED" }, "a queue follows its repository");
    if (events.length > 0) await publishEntries(this.#context, queue.id);
  }
}

/** Updates the checks and comments of a queue's entries, because something about the whole queue has changed. */
export async function publishEntries(
  { runtime, outbox, clock }: QueueContext,
  queueId: string,
): Promise<void> {
  const { repo, entries } = await runtime.state(queueId);
  for (const pr of [...entries.keys()].slice(0, maxShown))
    await outbox.add(publishTask(repo, pr, clock.now()));
}
