import type { InstalledRepository, Reaction } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Outbox } from "../../ports/outbox.ts";
import type { PublicationStore } from "../../ports/publication-store.ts";
import { publishTask } from "../tasks/queue-tasks.ts";
import { retryDelayMs } from "../tasks/retry.ts";

/** Answers commands. The answer becomes part of the queue's comment on the pull request. */
export class CommandReplies {
  readonly #publications: PublicationStore;
  readonly #outbox: Outbox;
  readonly #clock: Clock;

  constructor(publications: PublicationStore, outbox: Outbox, clock: Clock) {
    this.#publications = publications;
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /** Shows a Markdown text until the next answer; null removes the last one. */
  async answer(
    { installationId, ...repo }: InstalledRepository,
    pr: number,
    notice: string | null,
  ): Promise<void> {
    const { notice: shown } = await this.#publications.get(repo, pr);
    if (shown === notice) return;
    await this.#publications.put(repo, pr, { notice });
    const planned = publishTask(repo, pr, this.#clock.now());
    await this.#outbox.add({ ...planned, task: { type: "publish", repo, pr, installationId } });
  }

  /** Schedules a reaction, to be added as soon as the code host permits. */
  async react(
    { installationId, ...repo }: InstalledRepository,
    commentNodeId: string,
    reaction: Reaction,
  ): Promise<void> {
    const task = { type: "react", repo, installationId, commentNodeId, reaction } as const;
    const notBefore = this.#clock.now() + retryDelayMs(null, 0);
    await this.#outbox.add({ task, stream: `react/${commentNodeId}`, notBefore, coalesce: true });
  }
}
