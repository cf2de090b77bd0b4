import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Reaction } from "../../ports/code-host/pull-requests.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { publishStreams, publishTask } from "../runtime/plan-tasks.ts";
import { retryDelayMs } from "../workers/retry.ts";

/** An answer that the comment on a pull request shows. */
export interface Notice {
  /** The login that it answers, maybe with a subject (`noticeAbout`), or `try` for the state of a try. There is one notice for each. */
  readonly to: string;
  /** Markdown. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The notice is about the entry of that time, and disappears when that entry ends. */
  readonly endsWithEntry?: boolean;
}

/** How long an answer stays when another person gets an answer, and the maximum number that stay. */
const keptMs = 10 * 60_000;
const maxKept = 5;

/** Names a notice that is not replaced by answers to other commands of the same person, so that a refused label is noticed. */
export function noticeAbout(subject: "label" | "auto-merge", login: string): string {
  return `${login} ${subject}`;
}

/** Reads stored notices, the oldest first. Text that is not a list is a single notice. */
export function parseNotices(text: string | null): readonly Notice[] {
  if (text === null) return [];
  const parsed = parseJson(text);
  return Array.isArray(parsed) && parsed.every(isNotice) ? parsed : [{ to: "", text, at: 0 }];
}

/** Returns the notices as text to store; null when there are none. */
export function serializeNotices(notices: readonly Notice[]): string | null {
  return notices.length === 0 ? null : JSON.stringify(notices);
}

/**
 * Returns the notices after an answer at `now`. The answer replaces the earlier one with the same `to`; null removes all answers to that
 * person. Recent answers to other people stay, so that everybody who asks at the same time sees an answer.
 */
export function withAnswer(
  notices: readonly Notice[],
  to: string,
  text: string | null,
  now: number,
  endsWithEntry = false,
): readonly Notice[] {
  const isReplaced = (notice: Notice) =>
    notice.to === to || (text === null && notice.to.startsWith(`${to} `));
  const others = notices.filter((notice) => !isReplaced(notice) && now - notice.at < keptMs);
  return [
    ...others,
    ...(text === null ? [] : [{ to, text, at: now, ...(endsWithEntry ? { endsWithEntry } : {}) }]),
  ].slice(-maxKept);
}

/** Whether a notice is still relevant, now that this is the pull request's last entry. */
export function concerns({ endsWithEntry, at }: Notice, entry: Entry): boolean {
  if (!endsWithEntry) return true;
  return at >= entry.submittedAt && !(isTerminal(entry.state) && at < entry.stateChangedAt);
}

function isNotice(value: unknown): value is Notice {
  const { to, text, at } = Object(value);
  return typeof to === "string" && typeof text === "string" && typeof at === "number";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Answers commands. The answers become part of the queue's comment on the pull request. */
export class CommandReplies {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
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
    const now = this.#context.clock.now();
    const { notice: shown } = await this.#context.stores.publications.get(repo, pr);
    const notices = withAnswer(parseNotices(shown), to, text, now, endsWithEntry);
    const notice = serializeNotices(notices);
    if (shown === notice) return;
    await this.#context.stores.publications.put(repo, pr, { notice }, now);
    // Equal tasks are merged, and become due now. A task with other content would wait behind a task that is planned for later.
    const hasQueue = (await this.#context.directory.ofRepository(repo)).length > 0;
    const planned = publishTask(repo, pr, now);
    await this.#context.outbox.add(
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
    const notBefore = this.#context.clock.now() + retryDelayMs(null, 0);
    // Named like the streams of pull requests, so that it moves with them when the repository is renamed.
    const stream = `${publishStreams(repo)}react/${commentNodeId}`;
    await this.#context.outbox.add({ task, stream, notBefore, coalesce: true });
  }
}
