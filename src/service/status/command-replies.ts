import type { InstalledRepository, Reaction } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Outbox } from "../../store/leased/outbox.ts";
import type { PublicationStore } from "../../store/queue/publication-store.ts";
import type { Directory } from "../runtime/directory.ts";
import { publishStreams, publishTask } from "../runtime/plan-tasks.ts";
import { retryDelayMs } from "../workers/retry.ts";
import { parseNotices, serializeNotices, withAnswer } from "./notices.ts";

/** Answers commands. The answers become part of the queue's comment on the pull request. */
export class CommandReplies {
  readonly #publications: PublicationStore;
  readonly #directory: Pick<Directory, "ofRepository">;
  readonly #outbox: Outbox;
  readonly #clock: Clock;

  constructor(
    publications: PublicationStore,
    directory: Pick<Directory, "ofRepository">,
    outbox: Outbox,
    clock: Clock,
  ) {
    this.#publications = publications;
    this.#directory = directory;
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /**
   * Shows a Markdown text as the answer to a person (`to`, see `Notice`), until the next answer to the same person; null removes
   * the last one.
   *
   * @param endsWithEntry see `Notice`
   */
  async answer(
    at: InstalledRepository,
    pr: number,
    to: string,
    text: string | null,
    endsWithEntry = false,
  ): Promise<void> {
    const { installationId, ...repo } = at;
    const now = this.#clock.now();
    const { notice: shown } = await this.#publications.get(repo, pr);
    const notices = withAnswer(parseNotices(shown), to, text, now, endsWithEntry);
    const notice = serializeNotices(notices);
    if (shown === notice) return;
    await this.#publications.put(repo, pr, { notice }, now);
    // Equal tasks are merged, and become due now. A task with other content would wait behind one that is planned for later.
    const hasQueue = (await this.#directory.ofRepository(repo)).length > 0;
    const planned = publishTask(repo, pr, now);
    await this.#outbox.add(
      hasQueue ? planned : { ...planned, task: { type: "publish", repo, pr, installationId } },
    );
  }

  /**
   * Schedules a reaction, to be added as soon as the code host permits.
   *
   * @param at may be a former place of the repository
   * @param repositoryId null = not known
   */
  async react(
    at: InstalledRepository,
    repositoryId: number | null,
    commentNodeId: string,
    reaction: Reaction,
  ): Promise<void> {
    const { installationId, ...repo } = at;
    const identified = repositoryId === null ? {} : { repositoryId };
    const task = { type: "react", repo, ...identified, installationId, commentNodeId, reaction } as const;
    const notBefore = this.#clock.now() + retryDelayMs(null, 0);
    // With the pull requests' own streams, it moves when the repository is renamed.
    const stream = `${publishStreams(repo)}react/${commentNodeId}`;
    await this.#outbox.add({ task, stream, notBefore, coalesce: true });
  }
}
